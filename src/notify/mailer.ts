import type { Transporter } from "nodemailer";
import { SECOND } from "../core/duration.ts";
import type { Secret } from "../core/secret.ts";

export interface Mail {
  to: readonly string[];
  subject: string;
  text: string;
  /** The same for a mail that has to be sent again: readers then show it once. */
  messageId: string;
}

export interface Mailer {
  send(mail: Mail): Promise<void>;
}

/** Sends through the configured server. A server's certificate is always checked. */
export function createMailer({ smtpUrl, from }: { smtpUrl: Secret; from: string }): Mailer {
  let transport: Transporter | null = null;
  return {
    send: async ({ to, subject, text, messageId }) => {
      transport ??= await openTransport(smtpUrl);
      await transport.sendMail({ from, to: [...to], subject, text, messageId });
    },
  };
}

async function openTransport(smtpUrl: Secret): Promise<Transporter> {
  // Read with the first mail: most starts send none, and need not wait for it.
  const { createTransport } = await import("nodemailer");
  const { protocol, hostname, port, username, password } = new URL(smtpUrl.reveal());
  const secure = protocol === "smtps:";
  return createTransport({
    host: hostname,
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    ...(username === ""
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: 10 * SECOND,
    greetingTimeout: 10 * SECOND,
    socketTimeout: 20 * SECOND,
    // Nothing of a mail is read from files or the network.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
