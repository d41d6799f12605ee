import { zoneNames } from "../../src/core/zone.ts";

/** Zones whose clocks do odd things, and every fifteenth of the rest: all of them would take half a minute to learn. */
export const someZones = [
  ...new Set([
    "UTC",
    "Africa/Casablanca",
    "Africa/Monrovia",
    "America/Boa_Vista",
    "America/Goose_Bay",
    "America/Havana",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Antarctica/Casey",
    "Antarctica/Troll",
    "Asia/Beirut",
    "Asia/Gaza",
    "Asia/Kathmandu",
    "Asia/Pyongyang",
    "Australia/Lord_Howe",
    "Europe/Dublin",
    "Pacific/Apia",
    "Pacific/Chatham",
    "Pacific/Kiritimati",
    "Pacific/Kwajalein",
    ...zoneNames().filter((_, index) => index % 15 === 0),
  ]),
];
