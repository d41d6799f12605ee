import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A device that holds one passkey and always says yes, as a browser would pass its answers on. */
export function aPasskeyDevice(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(16);
  let counter = 0;
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const about = (flags: number) => {
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(++counter);
    return Buffer.concat([sha256(Buffer.from(new URL(origin).hostname)), Buffer.of(flags), counted]);
  };
  const answer = (response: object) =>
    JSON.stringify({
      id: id.toString("base64url"),
      rawId: id.toString("base64url"),
      type: "public-key",
      clientExtensionResults: {},
      response,
    });

  return {
    /** The answer to being asked for a new passkey. */
    create({ challenge }: { challenge: string }): string {
      const { x = "", y = "" } = publicKey.export({ format: "jwk" });
      // COSE: kty EC2, alg ES256, crv P-256, x, y.
      const cose = Buffer.concat([
        Buffer.from("a5010203262001215820", "hex"),
        Buffer.from(x, "base64url"),
        Buffer.from("225820", "hex"),
        Buffer.from(y, "base64url"),
      ]);
      const data = Buffer.concat([about(0x45), Buffer.alloc(16), Buffer.of(0, id.length), id, cose]);
      // CBOR: { fmt: "none", attStmt: {}, authData }.
      const attestation = Buffer.concat([
        Buffer.from("a363666d74646e6f6e656761747453746d74a0686175746844617461", "hex"),
        Buffer.of(0x58, data.length),
        data,
      ]);
      return answer({
        clientDataJSON: clientData("webauthn.create", challenge).toString("base64url"),
        attestationObject: attestation.toString("base64url"),
      });
    },

    /** The answer to being asked who is there. */
    get({ challenge }: { challenge: string }): string {
      const data = about(0x05);
      const client = clientData("webauthn.get", challenge);
      return answer({
        clientDataJSON: client.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: sign("sha256", Buffer.concat([data, sha256(client)]), privateKey).toString("base64url"),
      });
    },
  };
}

function sha256(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}
