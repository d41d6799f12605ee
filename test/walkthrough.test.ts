import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { freePort } from "./support/free-port.ts";

/** What a person copies out of docs/walkthrough.md is run here, in order, in one shell, with the built program. */
const walkthrough = readFileSync("docs/walkthrough.md", "utf8");

describe("the walkthrough", () => {
  test("does what it says, from the first command to the last", async () => {
    const port = await freePort();
    const steps = stepsOf(walkthrough.replaceAll(/(?<=--port |127\.0\.0\.1:)4010\b/g, String(port)));
    expect(steps.length).toBeGreaterThan(15);
    const { printed, code } = await runInOneShell(steps.map(({ commands }) => commands));
    // Told apart from a step that prints the wrong thing: the shell ends at the first command that fails.
    const brokeOff = code === 0 ? null : { code, step: steps[printed.length - 1], printed: printed.at(-1) };
    expect(brokeOff).toBeNull();
    const wrong = steps.flatMap(({ commands, expected }, at) =>
      fits(expected, printed[at] ?? "") ? [] : [{ commands, expected, printed: printed[at] }],
    );
    expect(wrong).toEqual([]);
  });

  test("uses curl and node, and nothing that has to be installed besides", () => {
    const commands = stepsOf(walkthrough).map((step) => step.commands);
    expect(commands.join("\n")).not.toMatch(/\b(jq|python3?|httpie|wget|npx)\b/);
  });
});

describe("what is printed", () => {
  test.each([
    ["a\nb\n", "a\nb", true],
    ["a\nc\n", "a\nb", false],
    ["a\nb\nc\n", "a\nb", false],
    ["id 01HX and more\n", "id … more", true],
    ["id 01HX and less\n", "id … more", false],
    ["a\nx\ny\nb\n", "a\n…\nb", true],
    ["a\nb\n", "a\n…\nb", true],
    ["a\nx\n", "a\n…\nb", false],
    ["1.5\n", "1x5", false],
  ])("%j against %j: %j", (printed, expected, verdict) => {
    expect(fits(expected, printed)).toBe(verdict);
  });
});

interface Step {
  readonly commands: string;
  /** Empty when the document shows nothing. */
  readonly expected: string;
}

/** Each block of commands with the block of text that follows it. */
function stepsOf(document: string): Step[] {
  const blocks = [...document.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, content]) => ({
    language,
    content: content ?? "",
  }));
  return blocks.flatMap(({ language, content }, at) => {
    const next = blocks[at + 1];
    return language === "sh"
      ? { commands: content, expected: next?.language === "text" ? next.content : "" }
      : [];
  });
}

/** `…` is any text within a line; a line that is nothing else, any number of lines. */
function fits(expected: string, printed: string): boolean {
  const pattern = expected
    .trimEnd()
    .split("\n")
    .map((line) => (line === "…" ? "(?:.*\n)*" : `${line.trimEnd().split("…").map(literally).join(".*")}\n`))
    .join("");
  const lines = printed.split("\n").map((line) => line.trimEnd());
  return new RegExp(`^${expected === "" ? "" : pattern}$`).test(lines.join("\n"));
}

function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** Runs the blocks and cuts what they print, on either stream, at marks between them. */
async function runInOneShell(blocks: readonly string[]): Promise<{ printed: string[]; code: number | null }> {
  const folder = await mkdtemp(join(tmpdir(), "tieout-walkthrough-"));
  const mark = "--- end of step ---";
  const script = blocks.map((block) => `${block}\necho "${mark}"\n`).join("");
  const shell = spawn("bash", ["-e", "-u", "-o", "pipefail", "-c", `exec 2>&1\n${script}`], {
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, TMPDIR: folder },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  let output = "";
  shell.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  const [code] = (await once(shell, "exit")) as [number | null];
  if (code !== 0) killLeftovers(shell.pid ?? 0);
  if (!shell.stdout.closed) await once(shell.stdout, "close");
  await rm(folder, { recursive: true });
  return { printed: output.split(`${mark}\n`), code };
}

/** A shell that ended in the middle leaves its sandbox behind, in the group of processes that it led. */
function killLeftovers(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch (error) {
    // Nothing was left.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
