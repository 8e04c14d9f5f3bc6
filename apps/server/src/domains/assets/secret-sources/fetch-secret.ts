import { and, eq } from 'drizzle-orm'
import { AppError, refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Opener } from '../../../kernel/secrets/vault.ts'
import { Slots } from '../../../kernel/slots.ts'
import { readPrivateKey } from '../../../kernel/ssh/keys/private-key.ts'
import { assetsSecretSource } from '../tables.ts'
import { converse, SourceFailure } from './ask.ts'
import { type OpenedSource, STORES } from './stores.ts'

type Source = typeof assetsSecretSource.$inferSelect

/** Where the secret of an account is. */
export interface SecretReference {
  secret_source: string
  secret_path: string
  secret_field: string
}

/** The same, as rows have it: without a source the secret is in the row itself. */
export interface MaybeOutside {
  secret_source: string | null
  secret_path: string
  secret_field: string
}

export const isOutside = <T extends MaybeOutside>(row: T): row is T & SecretReference => row.secret_source !== null

/** What fetching needs; without addresses, where secrets leave Sallyport, nothing is fetched. */
export type FetchingKernel = Pick<Kernel, 'db'> & Partial<Pick<Kernel, 'targetAddresses'>>

export interface FetchedSecret {
  password: string
  privateKey: string
}

/** Longer ones are no password and no key. */
const MAX_SECRET = 32_768
/** Stores are asked by so many at a time; the organizations take turns. */
const asking = new Slots(32)

/** A secret is kept outside, and this is no place where it may be fetched. */
export const keptOutside = (): AppError =>
  refused('secret_kept_outside', 'The secret of this account is kept outside, and is fetched for connections alone')

/**
 * Fetches a secret from the store that has it, for one use, into memory alone. Throws 400 with
 * words that name the source, and never anything that it said.
 */
export async function fetchSecret(
  { db, targetAddresses }: FetchingKernel,
  reference: SecretReference,
  orgId: string,
  open: Opener,
): Promise<FetchedSecret> {
  if (open.outside === 'assumed') return { password: 'sealed', privateKey: '' }
  if (open.outside !== 'fetched' || !targetAddresses) throw keptOutside()
  const [source] = await db
    .select()
    .from(assetsSecretSource)
    .where(and(eq(assetsSecretSource.id, reference.secret_source), eq(assetsSecretSource.org_id, orgId)))
  if (!source) throw refused('secret_source_gone', 'The secret source of this account does not exist any more')
  const place = { path: reference.secret_path, field: reference.secret_field }
  return asking.use(() => readFrom({ targetAddresses }, source, place, open), orgId)
}

/** The same of one source: what is at a place of it. */
export async function readFrom(
  { targetAddresses }: Pick<Kernel, 'targetAddresses'>,
  source: Source,
  { path, field }: { path: string; field: string },
  open: Opener,
): Promise<FetchedSecret> {
  const talk = converse(source, targetAddresses)
  try {
    return await secretOf(await STORES[source.kind].read(talk, opened(source, open), path, field))
  } catch (error) {
    throw inWords(error, source, path)
  } finally {
    talk.close()
  }
}

/** Signs in to a source and does nothing else. Throws as `readFrom`. */
export async function trySource(
  { targetAddresses }: Pick<Kernel, 'targetAddresses'>,
  source: Source,
  open: Opener,
): Promise<void> {
  const talk = converse(source, targetAddresses)
  try {
    await STORES[source.kind].signIn(talk, opened(source, open))
  } catch (error) {
    throw inWords(error, source, '')
  } finally {
    talk.close()
  }
}

/** A source with what signs in to it. */
export function opened(source: Source, open: Opener): OpenedSource {
  const { token_sealed, secret_id_sealed, ...rest } = source
  return {
    ...rest,
    token: token_sealed ? open(token_sealed) : '',
    secret_id: secret_id_sealed ? open(secret_id_sealed) : '',
  }
}

/** The answer of a store as a login: a private key, or one line of text. */
async function secretOf(value: unknown): Promise<FetchedSecret> {
  if (typeof value !== 'string' || !value || value.length > MAX_SECRET) throw new SourceFailure('field')
  if (value.trimStart().startsWith('-----BEGIN ')) {
    // Its error may quote the key.
    const key = await readPrivateKey(value, undefined).catch(() => undefined)
    if (!key) throw new SourceFailure('field')
    return { password: '', privateKey: key.privateKey }
  }
  if (/\p{Cc}/u.test(value)) throw new SourceFailure('field')
  return { password: value, privateKey: '' }
}

const WORDS: Readonly<Record<SourceFailure['code'], string>> = {
  silent: 'The secret source {{name}} at {{address}} does not answer',
  redirect: 'The secret source {{name}} at {{address}} leads elsewhere, and redirects are not followed',
  unreadable: 'The secret source {{name}} at {{address}} answers what cannot be read',
  sign_in: 'The secret source {{name}} at {{address}} refuses the sign-in',
  denied: 'The secret source {{name}} at {{address}} does not let Sallyport read {{path}}',
  absent: 'The secret source {{name}} at {{address}} has nothing at {{path}}',
  field: 'The secret source {{name}} at {{address}} has no password or key in that field of {{path}}',
  status: 'The secret source {{name}} at {{address}} answers {{status}}',
}

/** Why a store gave nothing, for people; faults of ours stay as they are. */
export function inWords(error: unknown, { name, address }: Source, path: string): unknown {
  if (!(error instanceof SourceFailure)) return error
  const values = { name, address: URL.parse(address)?.host ?? '', path, status: error.status }
  return new AppError(400, 'secret_source_failed', WORDS[error.code], { values, cause: error })
}
