import { isSafeUrl, unsafeUrl, withoutTrailingSlash } from "./accounts-file.ts";
import type { Secret } from "./core/secret.ts";
import type { Reader } from "./environment.ts";

/** Where traces go, by the variables that OpenTelemetry's own programs read. */
export interface TraceSettings {
  endpoint: string;
  /** `name=value,name=value`; some hold a key. */
  headers: Secret | null;
  serviceName: string;
}

export const traceSecretNames = ["OTEL_EXPORTER_OTLP_HEADERS"] as const;
export const traceVariableNames = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SERVICE_NAME"] as const;

/** `null`: none are made. */
export function readTrace(reader: Reader, problems: string[]): TraceSettings | null {
  const endpoint = reader.text("OTEL_EXPORTER_OTLP_ENDPOINT");
  const headers = reader.secret("OTEL_EXPORTER_OTLP_HEADERS");
  const serviceName = reader.text("OTEL_SERVICE_NAME") ?? "tieout";
  if (headers !== null && !/^\s*[\w-]+=[^,]*(,\s*[\w-]+=[^,]*)*$/.test(headers.reveal()))
    problems.push(
      "OTEL_EXPORTER_OTLP_HEADERS: expected name=value,name=value, found something else (not shown)",
    );
  if (endpoint === null) return null;
  if (!isSafeUrl(endpoint)) problems.push(`OTEL_EXPORTER_OTLP_ENDPOINT: ${unsafeUrl(endpoint)}`);
  return { endpoint: withoutTrailingSlash(endpoint), headers, serviceName };
}
