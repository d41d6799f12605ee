/** Two people of whom one let the other in: why they cannot sign together, and the way out. As docs/people.md has it. */
import { Given } from "./show.tsx";

/** The visitor came in by a link that the first signer could have opened. */
export function MineGoesBack({ name, email }: { name: string; email: string }) {
  return (
    <div class="whole-text">
      You and <Given text={name} /> cannot sign together: your sign-in goes back to a link that they could
      have opened. Another person decides, or you sign in <Independently email={email} />
    </div>
  );
}

/** The other way round; `again`: what the first signer has to repeat afterwards. */
export function TheirsGoesBack({ name, again }: { name: string; again: string }) {
  return (
    <div class="whole-text">
      You and <Given text={name} /> cannot sign together: their sign-in goes back to a link that you could
      have opened. Another person decides, or <Given text={name} /> {again} after signing in{" "}
      <Independently email={null} />
    </div>
  );
}

/** For whoever has made a link. */
export function NotTogetherYet({ name, email }: { name: string; email: string }) {
  return (
    <p class="warning">
      Because you could open this link yourself, you and <bdi>{name}</bdi> cannot sign together: neither may
      approve what the other proposed, prepared or asked for. This ends when they sign in{" "}
      <Independently email={email} />
    </p>
  );
}

function Independently({ email }: { email: string | null }) {
  return (
    <>
      through your company’s sign-in service, or with a link made on the server by{" "}
      <code>npx tieout people link {email ?? "their e-mail address"}</code>. A passkey added before stays
      bound to the old link: remove it, and add it again.
    </>
  );
}
