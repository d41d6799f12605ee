import type { KnownProfile } from "./own-profiles.ts";

/** A profile as people and programs see it in a list. */
export function presentProfile({ profile, saved }: KnownProfile) {
  return {
    object: "profile",
    name: profile.name,
    version: profile.version,
    provider: profile.provider,
    built_in: saved === null,
    about: profile.about ?? null,
    recognise: profile.recognise,
    file_name: profile.file_name ?? null,
    based_on: profile.based_on ?? null,
    required: profile.required,
    saved_by: saved?.by ?? null,
    saved_by_name: saved?.byName ?? null,
  };
}

/** With everything that it says, as it could be written into a file of one's own. */
export function presentWholeProfile(known: KnownProfile) {
  return { ...presentProfile(known), profile: known.profile };
}
