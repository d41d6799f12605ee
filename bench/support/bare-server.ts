import { createServer, type ServerResponse } from "node:http";
import { Pool } from "pg";

/** The least that can answer a question from the database: what our own server is compared with. */
const { url, text, values } = JSON.parse(process.argv[2] ?? "") as {
  url: string;
  text: string;
  values: unknown[];
};
const pool = new Pool({ connectionString: url, max: 10, options: "-c timezone=UTC" });
const server = createServer((_, response) => void answer(response));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  process.send?.({ url: `http://127.0.0.1:${port}` });
});

async function answer(response: ServerResponse): Promise<void> {
  const { rows } = await pool.query({ text, values, name: "same" });
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ data: rows }));
}
