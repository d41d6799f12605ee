/** Who is at the other end: the address that limits go by, and whether they speak https. */
export interface Client {
  address: string;
  secure: boolean;
  /** A proxy that is trusted has passed the request on. */
  proxied: boolean;
}
