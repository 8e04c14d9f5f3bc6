import { spoken } from '@sallyport/contract/names.ts'
import { notifySubscribers } from '../../domains/notifications/index.ts'
import type { StoredExecution, WaitingHost } from '../../domains/ops/command-executions/index.ts'
import { displayName } from '../../kernel/access/call.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Person } from '../session/person.ts'

/** So many machines are named in a message. */
const NAMED = 20

export interface RefusedBatch {
  execution: StoredExecution
  person: Person
  /** Machines where it was refused. */
  hosts: readonly WaitingHost[]
}

/**
 * Tells subscribers of a batch command that the rules refused
 * (docs/rules/notifications.md#system_kinds).
 */
export async function alarmOfBatch(kernel: Kernel, { execution, person, hosts }: RefusedBatch): Promise<void> {
  const names = hosts.slice(0, NAMED).map(({ name }) => name)
  const more = hosts.length - names.length
  await notifySubscribers(
    kernel,
    'CommandExecutionAlert',
    (say) => ({
      subject: say('Dangerous batch command: {{command}}', {
        command: execution.command.replace(/\s+/g, ' ').slice(0, 128),
      }),
      paragraphs: [
        say('{{user}} wanted to run a dangerous batch command on {{assets}}:', {
          user: spoken(displayName(person)),
          assets: [...names, ...(more > 0 ? [`+${more}`] : [])].join(', '),
        }),
        execution.command.slice(0, 1024),
      ],
      link: { text: say('Open the assets'), path: `/ui/assets/assets?oid=${execution.org_id}` },
    }),
    execution.org_id,
  )
}
