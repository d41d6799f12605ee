/**
 * Scores what any system has raised about a corpus that `npm run bench corpus -- --out DIR` wrote:
 *
 *   npm run bench score -- --corpus DIR --found found.jsonl
 *
 * Prints precision and recall for each code. bench/README.md describes the files.
 */
import { parseArgs } from "node:util";
import { readFound, readTruth } from "../test/reconcile/corpus/corpus-files.ts";
import { judgeCorpus, scoreRows } from "../test/reconcile/corpus/judge-corpus.ts";

const { values } = parseArgs({ options: { corpus: { type: "string" }, found: { type: "string" } } });
if (values.corpus === undefined || values.found === undefined) {
  throw new Error("expected --corpus with the folder of a corpus, and --found with what was raised");
}
const scores = judgeCorpus(await readTruth(values.corpus), await readFound(values.found));
process.stdout.write(`${scoreRows(scores)}\n`);
