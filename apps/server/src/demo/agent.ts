import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { settingsOf } from '../domains/settings/index.ts'
import { markedCall } from '../gateway/agents/marked-call.ts'
import { callerOf, displayName } from '../kernel/access/call.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { ReadContext } from '../kernel/resource/mount.ts'
import { createRow } from '../kernel/resource/write.ts'
import type { Company } from './past.ts'
import { contextOf, ensure, resourceNamed } from './rows.ts'
import { AT_WORK } from './work.ts'

const USERNAME = 'svc.helper'
const NAME = 'Helper of the night shift 夜班助手'
/** Looks after an alarm. */
const COMMANDS = ['uptime', 'df -h']
const [PLACE] = AT_WORK

/** An agent's identity, which may work on one machine. Needs people. */
export async function seedAgent(home: ReadContext): Promise<void> {
  await ensure(home, 'service_identity', 'username', {
    name: NAME,
    username: USERNAME,
    owner: home.call.user?.id,
    purpose: 'Looks at machines that raise an alarm 查看发出告警的机器',
    reads: [],
    writes: ['agents'],
  })
}

/** Its work, once: commands that the batch command log shows by agent, for whom and by which client. */
export async function workByAgent(home: ReadContext, { machines, systemUsers }: Company): Promise<void> {
  const { kernel, call } = home
  await settingsOf(kernel).set('SECURITY_AGENTS', 'identities')
  const machine = machines.find(({ hostname }) => hostname === PLACE?.machine)
  const account = systemUsers.get(PLACE?.work.as ?? '')
  const identity = await ensure(home, 'service_identity', 'username', { username: USERNAME })
  if (!machine || !account) return
  await ensure(home, 'asset_permission', 'name', {
    name: NAME,
    users: [identity],
    assets: [machine.id],
    system_users: [account],
    actions: ['connect'],
  })
  const onBehalfOf = displayName(callerOf(call))
  for (const command of COMMANDS)
    await run(kernel, { id: identity, onBehalfOf }, { command, hosts: [machine.id], run_as: account })
}

async function run(
  kernel: Kernel,
  { id, onBehalfOf }: Record<'id' | 'onBehalfOf', string>,
  body: object,
): Promise<void> {
  const user = { id, name: NAME, username: USERNAME, role: 'User' } as const
  const context = contextOf(kernel, user, { id: DEFAULT_ORG_ID, name: 'Default' })
  const call = markedCall({ ...context.call, onBehalfOf }, 'night-shift/1.0', undefined)
  await createRow(resourceNamed(context, 'command_execution'), body, { ...context, call })
}
