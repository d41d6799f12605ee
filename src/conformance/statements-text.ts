/** What the interface specification states, in short; after a bar, why no check can exist. */
export const statementsText = `
# General rules
1 two surfaces, current and legacy, each with an address of its own
2 the current surface serves /supported…, /quotes…, /checkout/intent and /transactions…
3 the legacy surface serves /gateways, /rate/… and a purchase in steps
4 bodies are JSON in both directions
5 providers sell crypto for fiat (buy) or buy it (sell)
6 quotes come from every available provider, for one amount, pair and payment method
7 a checkout intent gives a session and a transaction with a page to show
8 the records are those of the calling account
9 a country left out is that of the caller's address
10 a country on the current surface is an ISO alpha-2 code
11 a country on the legacy surface is an alpha-2 code or "all"
12 a transaction type is buy or sell
13 a transaction type left out is buy
14 /supported answers are wrapped in "message"
15 /quotes answers are a bare array
16 /transactions answers are not wrapped
17 a url is absolute
# Crypto asset
18 id is a text
19 code is a text
20 name is a text
21 symbol is a text
22 network is a text
23 decimals is an integer
24 address, of the token's contract, is a text
25 chainId is an integer
26 icon is a url
27 networkDisplayName is a text
# Fiat currency
28 id is a text
29 code is a text
30 name is a text
31 symbol is a text
32 icon is a url
# Payment type
33 paymentTypeId is a text
34 name is a text
35 icon is a url
36 ids such as creditcard, debitcard, applepay, googlepay, ach
37 plain ids on the legacy surface, such as creditCard
# Defaults entry
38 source is a fiat code
39 target is a crypto code
40 amount is a number
41 paymentMethod is a text
42 provider is a text
# Asset availability entry
43 fiat is the id of a fiat currency
44 paymentMethods are texts
45 crypto are asset ids: asset and network, joined by an underscore
# Provider and provider availability
46 a provider's id is a text
47 a provider's displayName is a text
48 a provider's icon is a url
49 a provider's icons are one svg and two png urls
50 onramp is a provider's id
51 icon, icons and displayName are those of the provider
52 country is an upper-case code
53 paymentMethods are texts
54 recommendedPaymentMethod is a text
55 recommendations only where they were asked for
56 an entry may omit its recommendations
57 a recommendation is {type, paymentMethods}
# Quote
58 rate is a number
59 networkFee is a number
60 transactionFee is a number
61 payout is a number
62 a buy quote lists its available payment methods
63 a sell quote does not
64 ramp is a provider's id
65 quoteId is an opaque text
66 a quoteId goes back with the checkout
67 paymentMethod is a text
68 recommendations are texts, and may be none
69 BestPrice is one of them
70 SuccessRate is one of them | who succeeds most often is known to the aggregator alone
71 LowKyc is one of them | who asks for least is known to the aggregator alone
# Checkout intent request
72 onramp is a provider's id
73 source is a currency code
74 destination is a currency code
75 amount is a number
76 type is buy or sell
77 paymentMethod is a text
78 network is a text
79 uuid is a UUID
80 partnerContext is the client's own reference
81 originatingHost is a host name
82 metaData carries the quoteId
83 wallet carries an address
84 the theme has eight fields, its radius may be null
85 the theme is for the page presented | what a page looks like is for eyes to judge
86 redirectUrl.success is URL-encoded | followed only after a payment, and the suite pays nothing
# Checkout intent response
87 wrapped in "message"
88 validationInformation is a boolean
89 status is a text
90 sessionInformation is an object
91 transactionInformation is an object
92 the session repeats onramp
93 the session repeats source
94 the session repeats destination
95 the session repeats amount
96 the session repeats type
97 the session repeats paymentMethod
98 the session repeats network
99 the session repeats uuid
100 the session repeats originatingHost
101 the session repeats the wallet as it was sent
102 the session carries the theme
103 the session's country is upper-case
104 expiringTime is an integer timestamp
105 sessionId is a text
106 partnerContext, metaData and partnerData are not repeated
107 transactionId is a text
108 url is the page to present
109 type is a text, such as iframe
110 params.permissions lists permissions of the frame
# Transaction record
111 apiKey identifies the owner's key
112 country is a lower-case code
113 inAmount is a number: what was paid
114 outAmount is a number: what was received
115 onramp is a provider's id
116 onrampTransactionId is the provider's own id
117 paymentMethod is a text
118 sourceCurrency is a lower-case code
119 targetCurrency is a lower-case code
120 status is a text
121 statusDate is ISO 8601 with milliseconds and Z
122 transactionId is a text
123 transactionType is buy or sell
124 transactionHash is empty until there is a hash
125 walletAddress is a text
# Transaction page
126 transactions is an array of records
127 limit is an integer
128 cursor is an opaque text
# Gateway and localization
129 identifier is a text
130 paymentMethods are texts
131 fiatCurrencies have a code and an integer precision
132 cryptoCurrencies have a code and an integer precision
133 localization.country is a text
134 localization.state is a text or null
135 localization.currency is a text
# Rate entry
136 identifier, always
137 duration in seconds and in words, always
138 available, always
139 rate, when available
140 fees, when available
141 requiredKYC as texts or lists of alternatives, when available
142 receivedCrypto, when available
143 nextStep, when available
144 error with type, message and limit, when not available
145 neither carries the fields of the other
146 one entry for each accessible gateway
# Step and field descriptor
147 type is one of the step types
148 url is the step's target
149 a form has field descriptors in data
150 a descriptor's type is a text
151 a descriptor's name is the key of the body
152 a descriptor's humanName is a text
153 a descriptor's hint may be missing
# States and flow
154 records can be pending
155 records can be completed
156 a checkout can be in_progress
157 one transaction may have several records, at different statuses
158 a pending record has no hash
159 a completed record has a hash
160 a purchase begins with the nextStep of an available rate
161 each step leads to the next, up to a terminal one
162 a form is a POST of its fields, and gives a new step
163 a form may be answered with an error object
164 an iframe's page sends the next step as a window message
165 a redirect's page sends the next step as a window message
166 a pickOne offers steps, one of which is executed
167 a file is a PUT, and gives a new step
168 completed is terminal | reached only by paying, and the suite pays nothing
169 requestBankTransaction is terminal
# GET /supported
170 type is optional, buy by default
171 type selects what can be bought or sold
172 the answer has crypto and fiat
# GET /supported/payment-types
173 country is optional, and selects
174 type is optional, and selects
175 an object keyed by payment type id
# GET /supported/payment-types/{fiat}
176 any available fiat currency
177 country is optional
178 type is optional
179 a list of payment types
# GET /supported/defaults/all
180 country is optional
181 type is optional
182 recommended, and defaults by country
183 recommended is for the resolved country
184 one entry for each country
# GET /supported/assets
185 source selects
186 without a source, all fiats
187 country is optional
188 needs the key
189 assets and country
# GET /supported/onramps/all
190 needs the key
191 the providers enabled for the calling key
192 a list of providers
# GET /supported/onramps
193 source is required
194 destination is required
195 country is optional
196 recommendations is a boolean, false by default
197 needs the key
198 a list of provider availabilities
# GET /quotes/{fiat}/{crypto}
199 the path holds currency codes
200 amount is required, in fiat
201 paymentMethod is creditcard by default
202 uuid is optional
203 clientName is optional
204 country is optional
205 an array of quotes
# GET /quotes/{crypto}/{fiat}
206 amount is required, in crypto
207 paymentMethod is creditcard by default
208 uuid and clientName are optional
209 the sell form says type=sell; the default is buy
210 country is optional
211 quotes without availablePaymentMethods
# POST /checkout/intent
212 a POST with the request as its body
213 the answer is wrapped in "message"
# GET /transactions/{transactionId}
214 needs key and secret
215 one record, not wrapped
# GET /transactions
216 needs key and secret
217 every parameter is optional
218 startDateTime is ISO 8601: the window's start
219 endDateTime is ISO 8601: the window's end
220 limit is an integer, 50 by default
221 limit is 50 at most
222 transactionIds is a comma-separated list
223 at most 50 ids
224 the previous page's cursor fetches the next page
225 limit says which limit is in force
# GET /gateways
226 country is alpha-2 or all, by default that of the address
227 includeIcons adds icons
228 gateways and localization
229 country selects gateways and what they offer
# GET /rate/…
230 fromCurrency is fiat only
231 toCurrency is crypto only
232 paymentMethod is an id of /gateways
233 amount is a positive integer
234 amount is in fromCurrency by default
235 country as for /gateways
236 includeIcons as for /gateways
237 amountInCrypto: the amount is crypto to buy
238 available and unavailable gateways, mixed
# Step URLs
239 a url is an endpoint of the legacy surface, for its step's method
240 a form's body is a flat JSON object
241 a wrong form gets {message, field}
# Authentication
242 Authorization holds the key itself
243 x-service-secret holds the secret, on the two transaction endpoints
244 records expose apiKey
# Events
245 frames and windows deliver the next step by window messages | a message needs a browser and a payment in it
# Errors
246 {message, field}, and field names the key at fault
247 an unavailable gateway is not an HTTP error
248 MIN says that the minimum was not reached
249 limit then holds that minimum
250 when no gateway is available, an error names the input to change
# Limits
251 a page is 50 records at most, and by default
252 50 ids at most
253 a rate's amount is a positive integer
254 the minimum differs by gateway
`;
