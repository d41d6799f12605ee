import type { ChainFamily, Network } from "./types.ts";

/** Whether a text could be an address there. The form only: checksums are left to the chain. */
export function looksLikeAddress({ id, family }: Pick<Network, "id" | "family">, text: string): boolean {
  return (ownForms[id] ?? forms[family]).test(text);
}

/** Chains of one family that write their addresses differently. */
const ownForms: Readonly<Record<string, RegExp>> = {
  bitcoin: /^(bc1[a-z0-9]{25,87}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$/,
  litecoin: /^(ltc1[a-z0-9]{25,87}|[LM3][1-9A-HJ-NP-Za-km-z]{25,34})$/,
  dogecoin: /^[DA9][1-9A-HJ-NP-Za-km-z]{25,34}$/,
  "bitcoin-cash": /^((bitcoincash:)?[qp][a-z0-9]{41}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$/,
  dash: /^[X7][1-9A-HJ-NP-Za-km-z]{25,34}$/,
  zcash: /^(t[13][1-9A-HJ-NP-Za-km-z]{33}|zs1[a-z0-9]{75}|u1[a-z0-9]{50,200})$/,
};

const forms: Readonly<Record<ChainFamily, RegExp>> = {
  utxo: /^[a-z0-9:]{25,90}$/i,
  evm: /^0x[0-9a-f]{40}$/i,
  hex0x: /^(0x[0-9a-f]{1,64}|[1-9A-HJ-NP-Za-km-z]{46,48})$/i,
  solana: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  base58: /^([1-9A-HJ-NP-Za-km-z]{43,44}|0x[0-9a-f]{64}|[a-z0-9._-]{2,64})$/,
  tron: /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
  stellar: /^[GM][A-Z2-7]{55,68}$/,
  xrp: /^[rX][1-9A-HJ-NP-Za-km-z]{24,46}$/,
  cardano: /^(addr1[a-z0-9]{53,103}|[1-9A-HJ-NP-Za-km-z]{59,104})$/,
  cosmos: /^cosmos1[a-z0-9]{38,58}$/,
  ton: /^([A-Za-z0-9_+/-]{48}|-?\d:[0-9a-f]{64})$/,
  algorand: /^[A-Z2-7]{58}$/,
  tezos: /^(tz[1-4]|KT1)[1-9A-HJ-NP-Za-km-z]{33}$/,
  hedera: /^\d+\.\d+\.\d+$/,
  filecoin: /^[ft][0-4][a-z0-9]{1,85}$/,
};
