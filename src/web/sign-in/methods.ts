import { linkMethod } from "./link.tsx";
import type { SignInMethod } from "./method.ts";
import { oidcMethod } from "./oidc.tsx";
import { passkeyMethod } from "./passkey.tsx";

/** Every way in, in the order in which the sign-in screen offers them. */
export const signInMethods: readonly SignInMethod[] = [oidcMethod, passkeyMethod, linkMethod];
