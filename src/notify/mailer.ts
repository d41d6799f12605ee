import { createTransport } from "nodemailer";
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
  const { protocol, hostname, port, username, password } = new URL(smtpUrl.reveal());
  const secure = protocol === "smtps:";
  const transport = createTransport({
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
  return {
    send: async ({ to, subject, text, messageId }) => {
      await transport.sendMail({ from, to: [...to], subject, text, messageId });
    },
  };
}
