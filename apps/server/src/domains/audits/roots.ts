import { createHash } from 'node:crypto'
import { asc, desc, eq, gt, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { CHAINED_LOGS, type ChainedLog, type Ends, endsOf, sealLog } from './chain.ts'
import { publicRootKey, rootSigner } from './root-key.ts'
import { auditsForwarding, auditsOutbox, auditsRoot } from './tables.ts'

/** A day's root: what each chain was, and the hash of the root before it. */
interface RootBody {
  number: number
  date: string
  previous: string
  logs: Record<ChainedLog, Ends>
}

const MAX_ROOTS = 4000

const hashOf = (body: string) => createHash('sha256').update(body).digest('hex')

/**
 * Signs what all chains are now (Ed25519), under a key that is sealed as secrets are: who holds the
 * database alone cannot make another. It is logged and told to the system for audit events, since what
 * is to prove anything has to be kept where the database is not (docs/audit-proof.md).
 */
export async function signRoot(kernel: Kernel): Promise<string> {
  const { app, db, secrets } = kernel
  for (const log of CHAINED_LOGS) await sealLog(db, secrets, log)
  const sign = await rootSigner(kernel)
  const root = await db.transaction(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended('audits.roots', 0))`)
    const [last] = await tx.select().from(auditsRoot).orderBy(desc(auditsRoot.number)).limit(1)
    const logs = {} as RootBody['logs']
    for (const log of CHAINED_LOGS) logs[log] = await endsOf(tx, secrets, log)
    const body: RootBody = {
      number: (last?.number ?? 0) + 1,
      date: new Date().toISOString(),
      previous: last ? hashOf(last.body) : '',
      logs,
    }
    const text = JSON.stringify(body)
    const signature = await sign(text)
    await tx.insert(auditsRoot).values({ number: body.number, body: text, signature })
    await tellRoot(tx, { number: body.number, body: text, signature })
    return { body: text, signature }
  })
  app.log.info({ root: root.body, signature: root.signature }, 'the audit logs were signed')
  return root.body
}

async function tellRoot(db: Database, body: Record<string, unknown>): Promise<void> {
  const { target, is_on } = auditsForwarding
  const targets = await db.select({ target }).from(auditsForwarding).where(eq(is_on, true))
  if (targets.length)
    await db.insert(auditsOutbox).values(targets.map((to) => ({ ...to, category: 'audit_root' as const, body })))
}

const numberOf = (text: string | undefined) => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined)

const ROOTS = { fields: plainFields({ number: 'integer', body: 'string', signature: 'string' }) }

/**
 * GET audits/roots/: the roots after a number, or the newest so many, as the verifier reads them, and
 * GET audits/roots/key/: the public key (PEM).
 */
export function registerRoots(kernel: Kernel): void {
  const { app, db } = kernel
  app.route<{ Querystring: { after?: string; newest?: string } }>({
    method: 'GET',
    url: '/api/v1/audits/roots/',
    config: {
      access: ['super_admin'],
      rootOrg: true,
      summary: 'Audits: signed roots of the chains',
      rows: ROOTS,
      answers: 'rows',
    },
    handler: async ({ query }) => {
      const { number, body, signature } = auditsRoot
      const newest = numberOf(query.newest)
      const roots = await db
        .select({ number, body, signature })
        .from(auditsRoot)
        .where(gt(number, numberOf(query.after) ?? 0))
        .orderBy(newest ? desc(number) : asc(number))
        .limit(Math.min(newest ?? MAX_ROOTS, MAX_ROOTS))
      return newest ? roots.reverse() : roots
    },
  })
  app.route({
    method: 'GET',
    url: '/api/v1/audits/roots/key/',
    config: { access: ['super_admin'], rootOrg: true, summary: 'Audits: public key of the roots', answers: 'text' },
    handler: async (_request, reply) => reply.type('text/plain; charset=utf-8').send(await publicRootKey(kernel)),
  })
}
