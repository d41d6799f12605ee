/** Whether a currency code is money of a state: ISO 4217, in any case. Anything else is read as a crypto asset. */
export function isFiat(code: string): boolean {
  return isoCodes.has(code.toUpperCase());
}

/** A currency as the books have it: money of a state in capitals (`EUR`), a coin in small letters (`usdc`). */
export function bookedCode(code: string): string {
  return isFiat(code) ? code.toUpperCase() : code.toLowerCase();
}

// Without funds, metals and test codes: none of them is ever paid out.
const isoCodes = new Set(
  `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLF CLP
   CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR
   ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT
   MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD
   SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYI UYU UYW UZS
   VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG`
    .trim()
    .split(/\s+/),
);
