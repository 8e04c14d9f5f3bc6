import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { dateCreated, dateTime, sealed } from '../../database/columns.ts'

/** How a name is proven to lead here (RFC 8555 §8.3, RFC 8737). */
export type Proof = 'http-01' | 'tls-alpn-01'

/** The account at an authority, and the certificate that it made. */
export const kernelAcme = pgTable('kernel_acme', {
  directory: text('directory').primaryKey(),
  account_key_sealed: sealed('account_key_sealed').notNull(),
  certificate: text('certificate'),
  certificate_key_sealed: sealed('certificate_key_sealed'),
  proof: text('proof').$type<Proof>(),
  date_tried: dateTime('date_tried'),
  domains: text('domains').array().notNull().default([]),
  error: text('error').notNull().default(''),
})

/** Answers that an authority is looking for. */
export const kernelAcmeChallenge = pgTable(
  'kernel_acme_challenge',
  {
    kind: text('kind').$type<Proof>().notNull(),
    domain: text('domain').notNull(),
    token: text('token').notNull(),
    answer: text('answer').notNull(),
    date_created: dateCreated(),
  },
  ({ kind, domain, token }) => [primaryKey({ columns: [kind, domain, token] })],
)
