import { randomBytes } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import { assetsListedAsset } from '../../domains/assets/index.ts'
import type { StoredExecution } from '../../domains/ops/command-executions/index.ts'
import { FILES_FOLDER, type RunInputs } from '../../domains/ops/index.ts'
import { contentsOf } from '../../domains/ops/runbooks/index.ts'
import { accountsNamed, type NamedAccount } from '../../domains/system-users/index.ts'
import type { Call } from '../../kernel/access/call.ts'
import { AppError } from '../../kernel/errors/app-error.ts'
import type { Language } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { openLogin } from '../../kernel/secrets/login.ts'
import { SessionRefusal } from '../session/refusal.ts'
import { callNow } from './call-now.ts'
import { mayPassSecrets, NO_SECRETS } from './secret-rights.ts'

/** Inputs of one machine besides the text of the run. Kept in memory alone. */
export interface MachineInputs {
  /** Passwords by the variable of the shell that holds each. */
  secrets: ReadonlyMap<string, string>
  files: readonly InputFile[]
  /** Folder of the files until the text takes them. */
  folder: string
}

export interface InputFile {
  step: number
  /** Path at which the text puts it. */
  path: string
  content: Buffer
}

/** For a run: what each of its machines gets, opened when that machine is begun. */
export type HandOver = (asset: string) => Promise<MachineInputs | undefined>

const NOTHING: HandOver = async () => undefined

/**
 * Finds the secrets and files of a run for these machines, in a query for each account and one for
 * all files. Each use of a secret leaves a row. Throws SessionRefusal where the person who began it
 * may not have it done any more, and for a machine that has no such account.
 */
export async function handOverOf(
  kernel: Kernel,
  { id, user, org_id, remote_addr, handed }: StoredExecution,
  language: Language,
  assets: readonly string[],
): Promise<HandOver> {
  if (!handed) return NOTHING
  const call = await callNow(kernel, { user_id: user, org_id, remote_addr, language }).catch((error) => {
    throw error instanceof AppError ? new SessionRefusal(error.message) : error
  })
  if (!mayPassSecrets(call, handed)) throw new SessionRefusal(NO_SECRETS)
  const reason = `run ${id}`
  const accounts = await Promise.all(handed.secrets.map((one) => accountsOf(kernel, one, org_id, assets)))
  const contents = await contentsOf(
    kernel,
    handed.files.map(({ file }) => file),
    reason,
  )
  return async (asset) => ({
    secrets: await secretsFor(kernel, call, { handed, accounts, reason }, asset),
    files: handed.files.map(({ step, file, path }) => {
      const content = contents.get(file)
      if (!content) throw new SessionRefusal('A file of the runbook is not kept any more')
      return { step, path, content }
    }),
    folder: `/tmp/.sallyport-${randomBytes(12).toString('hex')}`,
  })
}

/** By asset: on each itself, or that of another asset of the organization for all of them. */
async function accountsOf(
  { db }: Kernel,
  { account }: RunInputs['secrets'][number],
  orgId: string,
  assets: readonly string[],
): Promise<(asset: string) => NamedAccount | undefined> {
  const [username = '', ...rest] = account.split('@')
  if (!rest.length) {
    const own = await accountsNamed(db, { orgId, username, assets })
    return (asset) => own.get(asset)
  }
  const { id, hostname, org_id } = assetsListedAsset
  const [other] = await db
    .select({ id })
    .from(assetsListedAsset)
    .where(and(eq(hostname, rest.join('@')), eq(org_id, orgId)))
  const found = other && (await accountsNamed(db, { orgId, username, assets: [other.id] })).get(other.id)
  return () => found
}

interface FoundSecrets {
  handed: RunInputs
  accounts: readonly ((asset: string) => NamedAccount | undefined)[]
  reason: string
}

async function secretsFor(
  kernel: Kernel,
  call: Call,
  { handed, accounts, reason }: FoundSecrets,
  asset: string,
): Promise<ReadonlyMap<string, string>> {
  const found = handed.secrets.map(({ name, account }, at) => {
    const known = accounts[at]?.(asset)
    if (!known) throw new SessionRefusal('There is no account {{account}} with a password', { account })
    return { name, ...known }
  })
  if (!found.length) return new Map()
  const owners = new Map(found.flatMap((one) => one.owners.map((owner) => [owner.id, owner])))
  const open = await kernel.secrets.handOut(kernel.db, call, 'run', reason, [...owners.values()])
  return new Map(found.map(({ name, login }) => [name, openLogin(login, open).password]))
}

/** First lines of a run's shell: its variables. */
export function preludeOf({ secrets, files, folder }: MachineInputs): string {
  // The script itself, of which the passwords are part, is no variable of the text.
  const variables = [...secrets, ...(files.length ? [[FILES_FOLDER, folder] as const] : [])]
  const assigned = variables.map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'\n`).join('')
  return `unset S\n${assigned}`
}
