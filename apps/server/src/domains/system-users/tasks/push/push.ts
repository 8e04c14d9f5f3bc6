import type { StepResult, TaskStep } from '@sallyport/contract/resources/ops/adhoc.ts'
import { inArray, sql } from 'drizzle-orm'
import type { Call } from '../../../../kernel/access/call.ts'
import { AppError } from '../../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { readStoredKey } from '../../../../kernel/ssh/keys/plain-key.ts'
import { trustedAuthorities } from '../../../assets/authorities/index.ts'
import { type HostResults, type RunSummary, startRun, type TaskRun } from '../../../ops/index.ts'
import { isKeptOutside } from '../../held-login.ts'
import type { Host } from '../../hosts/open-host.ts'
import { assetsSystemUser } from '../../tables.ts'
import { loadAssetTarget } from '../../target.ts'
import { type ContactableHost, contact, contactableHosts } from '../contact.ts'
import { pushScript, removalScript } from './push-script.ts'
import { windowsPushScript, windowsRemovalScript } from './windows-script.ts'

export const PUSH_KIND = 'assets.push_system_users'
export const REMOVE_KIND = 'assets.remove_system_users'

const MODULES: Readonly<Record<string, string>> = {
  sudo: 'sudoers',
  key: 'authorized_key',
  authority: 'trusted_user_ca_keys',
}
/** Steps as pages print them. */
const STEPS: readonly TaskStep[] = ['user', 'password', 'key', 'sudo', 'authority'].map((name) => ({
  name,
  action: { module: MODULES[name] ?? 'user', args: '' },
}))

const TIMEOUT_MS = 60_000
/** Accounts that belong to the machine itself; Windows has them under names of its language as well, and its script looks. */
const OF_THE_MACHINE = new Set(['root', 'administrator'])

type SystemUser = typeof assetsSystemUser.$inferSelect

export interface PushRequest {
  orgId: string
  assets: readonly string[]
  systemUsers: readonly string[]
  /** For a system user that takes people's names: this one alone. */
  username?: string | undefined
}

/** Makes system users' accounts on assets; answers the background task's id. */
export async function startPush(kernel: Kernel, call: Call | undefined, request: PushRequest): Promise<string> {
  const { orgId, assets, systemUsers, username } = request
  const users = systemUsers.length
    ? await kernel.db
        .select()
        .from(assetsSystemUser)
        .where(inArray(assetsSystemUser.id, [...systemUsers]))
        .orderBy(assetsSystemUser.name)
    : []
  return startRun(kernel, call, {
    title: 'Push system users to assets',
    subject: users.map(({ name }) => name).join(', '),
    kind: PUSH_KIND,
    data: { systemUsers: [...systemUsers].sort(), ...(username ? { username } : {}) },
    steps: STEPS,
    become: 'root',
    hosts: assets,
    orgId,
  })
}

/** Takes a system user's accounts away from assets, where they were pushed; answers the background task's id. */
export async function startRemoval(kernel: Kernel, call: Call, { orgId, assets, systemUsers, username }: PushRequest) {
  const [user] = await kernel.db
    .select({ name: assetsSystemUser.name })
    .from(assetsSystemUser)
    .where(inArray(assetsSystemUser.id, [...systemUsers]))
  return startRun(kernel, call, {
    title: 'Remove system users from assets',
    subject: user?.name ?? '',
    kind: REMOVE_KIND,
    data: { systemUsers: [...systemUsers], ...(username ? { username } : {}) },
    steps: STEPS.filter(({ name }) => name === 'user' || name === 'sudo'),
    become: 'root',
    hosts: assets,
    orgId,
  })
}

/** On each machine each system user, as the machine's admin user: the result is stored by step. */
export const pushSystemUsers = (kernel: Kernel, run: TaskRun): Promise<RunSummary> =>
  onMachines(kernel, run, isPushed, pushOne)

/**
 * The same way, what a push made. Also of system users that are not pushed any more: what they left
 * is the reason to ask for it, and accounts that no push made stay whatever is asked for.
 */
export const removeSystemUsers = (kernel: Kernel, run: TaskRun): Promise<RunSummary> =>
  onMachines(kernel, run, isPushable, async (_kernel, { host, machine, user, username }) => {
    // No push made it, so a local account of that name is another one.
    if (isWindows(host) && user.ad_domain) return skip({ host, username }, run)
    const steps = isWindows(host)
      ? await machine.runPowerShell(windowsRemovalScript(username), limits(run))
      : await machine.run(removalScript(username), switching(run))
    return tell(steps, { host, username }, run)
  })

async function onMachines(
  kernel: Kernel,
  run: TaskRun,
  isMeant: (user: SystemUser) => boolean,
  workOn: typeof pushOne,
): Promise<RunSummary> {
  const wanted = run.data.systemUsers as string[]
  const users = await kernel.db.select().from(assetsSystemUser).where(inArray(assetsSystemUser.id, wanted))
  const names = await namesOf(kernel, users, run.data.username as string | undefined)
  const meant = users.filter(isMeant)
  for (const { name } of users.filter((user) => !isMeant(user))) await run.log(`${name} | SKIPPED`)
  return run.each(await contactableHosts(kernel.db, run.hosts), async (host) => {
    const due = meant
      .filter(({ protocol }) => protocol === 'ssh' || isWindows(host))
      .flatMap((user) => (names.get(user.id) ?? []).map((username) => ({ user, username })))
    if (!due.length) {
      await run.log(`${host.name} | SKIPPED`)
      return {}
    }
    const results: HostResults = {}
    const login = await contact(kernel, host, 'admin_user', run, async (machine) => {
      for (const one of due) Object.assign(results, await workOn(kernel, { host, machine, ...one }, run))
    })
    return login.ok ? results : { ...results, login }
  })
}

/** Whether a system user is made on machines by Sallyport (docs/rules/assets.md#system_user). */
const isPushed = (user: SystemUser): boolean => user.auto_push && user.login_mode === 'auto' && isPushable(user)

/** Whether a push may have made it. Those of remote desktops are made on Windows alone. */
const isPushable = ({ protocol, username }: SystemUser): boolean =>
  (protocol === 'ssh' || protocol === 'rdp') && !OF_THE_MACHINE.has(username.toLowerCase())

const isWindows = ({ base }: ContactableHost): boolean => base === 'Windows'

/** The user names of each: its own, or those of the people who are linked to it, by themselves or in a group. */
async function namesOf(
  { db }: Kernel,
  users: readonly SystemUser[],
  only: string | undefined,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const dynamic = users.filter(({ username_same_with_user }) => username_same_with_user).map(({ id }) => id)
  const { rows } = await db.execute<{ systemuser: string; username: string }>(sql`
    SELECT l.systemuser, u.username FROM (
      SELECT systemuser, "user" FROM assets_system_user_user
      UNION SELECT b.systemuser, m.user_id FROM assets_system_user_group b JOIN users_group_member m ON m.group_id = b."group") l
    JOIN users_account u ON u.id = l."user"
    WHERE l.systemuser = ANY(${sql.param(dynamic)}::uuid[]) ORDER BY u.username`)
  const people = Map.groupBy(rows, ({ systemuser }) => systemuser)
  const known = (id: string) => (only ? [only] : (people.get(id) ?? []).map(({ username }) => username))
  return new Map(
    users.map(({ id, username, username_same_with_user }) => [
      id,
      (username_same_with_user ? known(id) : [username]).filter((name) => !OF_THE_MACHINE.has(name.toLowerCase())),
    ]),
  )
}

interface Pushing {
  host: ContactableHost
  machine: Host
  user: SystemUser
  username: string
}

async function pushOne(kernel: Kernel, { host, machine, user, username }: Pushing, run: TaskRun): Promise<HostResults> {
  const open = kernel.secrets.open('job', `asset ${host.id} for task ${run.id}`)
  const question = { assetId: host.id, systemUserId: user.id, username, checksHostKey: true }
  // By an opener that fetches nothing: a secret that is kept outside is set from there as well.
  const target = await loadAssetTarget(kernel, question, (sealed) => open(sealed)).catch((error) => {
    if (error instanceof AppError) return isKeptOutside(error) ? 'outside' : undefined
    throw error
  })
  if (target === 'outside') return skip({ host, username }, run)
  if (!target) return { [`${username}: login`]: { ok: false, msg: 'The login is gone' } }
  const { password, privateKey } = target.credentials
  if (isWindows(host)) return pushOnWindows({ host, machine, user, username, password }, run)
  const trusted = user.by_certificate && { orgId: user.org_id, keys: await trustedAuthorities(kernel.db, user.org_id) }
  const { script, stdin } = pushScript({
    username,
    home: user.home || `/home/${username}`,
    shell: user.shell,
    groups: groupsOf(user),
    sudo: user.sudo,
    password,
    publicKey: privateKey ? (readStoredKey(privateKey)?.publicKey ?? '') : '',
    ...(trusted ? { authorities: trusted } : {}),
  })
  return tell(await machine.run(script, { stdin, ...switching(run) }), { host, username }, run)
}

/** Groups of Windows have names with spaces. */
const groupsOf = ({ system_groups }: SystemUser, between: string | RegExp = /[\s,]+/): string[] =>
  system_groups
    .split(between)
    .map((name) => name.trim())
    .filter(Boolean)

/**
 * Accounts of a directory, and those without a password, are not made
 * (docs/rules/assets.md#system_user).
 */
async function pushOnWindows(
  { host, machine, user, username, password }: Pushing & { password: string },
  run: TaskRun,
): Promise<HostResults> {
  if (user.ad_domain || !password) return skip({ host, username }, run)
  const { script, input } = windowsPushScript({
    username,
    groups: groupsOf(user, ','),
    password,
    isForDesktops: user.protocol === 'rdp',
  })
  return tell(await machine.runPowerShell(script, { input, ...limits(run) }), { host, username }, run)
}

async function skip({ host, username }: Pick<Pushing, 'host' | 'username'>, run: TaskRun): Promise<HostResults> {
  await run.log(`${host.name} | ${username} | SKIPPED`)
  return {}
}

const limits = ({ signal }: TaskRun) => ({ timeoutMs: TIMEOUT_MS, signal })

const switching = ({ become, signal }: TaskRun) =>
  ({ become: become ?? 'root', timeoutMs: TIMEOUT_MS, signal }) as const

/** Writes to the log what a script did, step by step. */
async function tell(
  { stdout, stderr, code }: Awaited<ReturnType<Host['run']>>,
  { host, username }: Pick<Pushing, 'host' | 'username'>,
  run: TaskRun,
): Promise<HostResults> {
  const results = stepsOf(stdout, username)
  const steps = Object.values(results)
  const isSame = code === 0 && steps.length > 0 && steps.every(({ ok, changed }) => ok && !changed)
  // What said nothing has not been run, whatever its exit code is.
  if ((code !== 0 || !steps.length) && steps.every(({ ok }) => ok))
    results[`${username}: script`] = { ok: false, msg: stderr.slice(0, 1000) || `rc=${code}` }
  for (const [step, { ok, changed, msg = '' }] of Object.entries(results))
    await run.log(`${host.name} | ${step} | ${ok ? (changed ? 'CHANGED' : 'OK') : `FAILED | ${msg}`}`)
  if (isSame) await run.log(`${host.name} | ${username} | nothing changed`)
  return results
}

/** The results of the script's steps. */
function stepsOf(output: string, username: string): Record<string, StepResult> {
  const found = [...output.matchAll(/^@@(\w+)\t(same|changed|failed)\t(.*)$/gm)]
  return Object.fromEntries(
    found.map(([, step, state, msg = '']) => [
      `${username}: ${step}`,
      state === 'failed' ? { ok: false, msg } : { ok: true, changed: state === 'changed' },
    ]),
  )
}
