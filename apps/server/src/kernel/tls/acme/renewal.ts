import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/database.ts'
import type { Events } from '../../events/events.ts'
import { keepCurrent } from '../../events/keep-current.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Vault } from '../../secrets/vault.ts'
import type { Certificates } from '../certificates.ts'
import { factsOf } from '../describe.ts'
import type { KeyPair } from '../key-pair.ts'
import { type Authority, AuthorityAway, accountAt, newAccountKey, orderCertificate } from './order.ts'
import { kernelAcme, type Proof } from './tables.ts'

/** Told when a certificate, or why there is none, is stored. */
const CHANGED = 'kernel.certificate_changed'
const RENEWAL = {
  name: 'kernel.renew_certificate',
  cron: '23 * * * *',
  title: 'Renew the certificate of the site',
  isEssential: true,
}
/** Part of its time that a certificate has left when the next one is asked for. */
const LEFT = 1 / 3
/** After a failure; authorities count them, and refuse everything for an hour after a few. */
const PAUSE_MINUTES = 10

/** What of the kernel it needs. */
interface Parts {
  config: Config
  app: FastifyInstance
  db: Database
  secrets: Vault
  events: Events
  jobs: Jobs
  certificates: Certificates
}

type Row = typeof kernelAcme.$inferSelect

/**
 * Serves the certificate that an authority has made by ACME, asks for one where there is none, and for
 * the next one before its end. What goes wrong there never stops a start: until it comes, the
 * certificate from before is served.
 * @returns asks at once where there is none yet; for when the authority finds this node
 */
export async function useAcme(kernel: Parts): Promise<() => Promise<void>> {
  const { config, jobs, certificates, app } = kernel
  if (!config.acmeDomains.length || config.tlsCertificate) return async () => {}
  let served: string | undefined
  const reload = await keepCurrent(
    kernel,
    CHANGED,
    async () => {
      const row = await readRow(kernel)
      const pair = row && pairOf(kernel, row)
      if (pair && pair.certificate !== served && isFor(pair, config.acmeDomains)) {
        await certificates.take(pair, 'acme')
        served = pair.certificate
      }
      if (row?.error) certificates.failed(row.error)
    },
    'the certificate of the site was not read',
  )
  jobs.schedule(RENEWAL, async () => {
    if (await renew(kernel)) await reload()
  })
  return async () => {
    const row = await readRow(kernel)
    if (!isDue(row, config.acmeDomains)) return
    app.log.info({ domains: config.acmeDomains, directory: config.acmeDirectory }, 'a certificate is asked for')
    await jobs.send(RENEWAL.name, {}, { owner: 'clock' })
  }
}

async function readRow({ db, config }: Parts): Promise<Row | undefined> {
  const [row] = await db.select().from(kernelAcme).where(eq(kernelAcme.directory, config.acmeDirectory))
  return row
}

function pairOf({ secrets }: Parts, { certificate, certificate_key_sealed }: Row): KeyPair | undefined {
  if (!certificate || !certificate_key_sealed) return undefined
  return { certificate, key: secrets.open('host_key', 'certificate of the site')(certificate_key_sealed) }
}

function isFor(pair: Pick<KeyPair, 'certificate'>, domains: readonly string[]): boolean {
  const { names } = factsOf(pair)
  return domains.every((domain) => names.includes(domain))
}

/** Whether there is none for these names, or its end is near, and the authority may be asked again. */
function isDue(row: Row | undefined, domains: readonly string[]): boolean {
  if (!row) return true
  const hasJustFailed =
    row.error !== '' &&
    row.date_tried !== null &&
    Date.now() - row.date_tried.getTime() < PAUSE_MINUTES * 60_000 &&
    domains.join() === row.domains.join()
  if (hasJustFailed) return false
  if (!row.certificate || !isFor({ certificate: row.certificate }, domains)) return true
  const { notBefore, notAfter } = factsOf({ certificate: row.certificate })
  return notAfter.getTime() - Date.now() < (notAfter.getTime() - notBefore.getTime()) * LEFT
}

/** Asks the authority where that is due; whether anything was stored. One node does at a time. */
async function renew(kernel: Parts): Promise<boolean> {
  const { db, config, secrets, events } = kernel
  const { acmeDirectory: directory, acmeDomains: domains } = config
  const row = await readRow(kernel)
  if (!isDue(row, domains)) return false
  const { account_key_sealed, proof } = row ?? (await newRow(kernel))
  const accountKey = secrets.open('host_key', 'account at the authority')(account_key_sealed)
  const failures: string[] = []
  let made: Partial<Row> | undefined
  try {
    made = await proven(kernel, { directory, mail: config.acmeMail, accountKey }, proof, failures)
  } catch (error) {
    failures.push((error as Error).message)
  }
  const error = made ? '' : failure(directory, domains, failures)
  await db
    .update(kernelAcme)
    .set({ ...made, error, domains: [...domains], date_tried: new Date() })
    .where(eq(kernelAcme.directory, directory))
  await events.publish(CHANGED, {})
  return true
}

async function newRow(kernel: Parts): Promise<Row> {
  const account_key_sealed = kernel.secrets.seal(await newAccountKey())
  const directory = kernel.config.acmeDirectory
  await kernel.db.insert(kernelAcme).values({ directory, account_key_sealed }).onConflictDoNothing()
  const row = await readRow(kernel)
  if (!row) throw new Error('the account at the authority was not stored')
  return row
}

/**
 * The new certificate, by what proved the names the last time, else by the other proof. Undefined, with
 * a reason for each in `failures`, where neither did. Throws where another proof would change nothing.
 */
async function proven(
  { db, config, secrets, app }: Parts,
  authority: Authority,
  last: Proof | null,
  failures: string[],
): Promise<Partial<Row> | undefined> {
  const account = await accountAt(authority)
  const proofs: Proof[] = last === 'tls-alpn-01' ? ['tls-alpn-01', 'http-01'] : ['http-01', 'tls-alpn-01']
  for (const proof of proofs) {
    try {
      const { certificate, key } = await orderCertificate(db, authority, account, config.acmeDomains, proof)
      return { proof, certificate, certificate_key_sealed: secrets.seal(key) }
    } catch (error) {
      app.log.warn({ err: error, proof }, 'the authority made no certificate')
      if (error instanceof AuthorityAway || NOT_ABOUT_PROOF.test((error as Error).message)) throw error
      failures.push(`${proof}: ${(error as Error).message}`)
    }
  }
  return undefined
}

/** What Let's Encrypt and others say to those who ask too often. */
const NOT_ABOUT_PROOF = /too many|rate limit/i

function failure(directory: string, domains: readonly string[], failures: readonly string[]): string {
  const answers = failures.map((one) => one.replace(/\s+/g, ' ').trim().slice(0, 300)).join('; ')
  return `No certificate for SALLYPORT_ACME_DOMAINS (${domains.join(', ')}) by ${directory}: ${answers}. See that the directory can be reached and that the names lead to port 80 or 443 of this server; it is tried again within the hour`
}
