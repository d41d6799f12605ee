import { linkMethod } from "./link.tsx";
import type { SignInMethod } from "./method.ts";

/** Every way in, in the order in which the sign-in screen offers them. */
export const signInMethods: readonly SignInMethod[] = [linkMethod];
