import type { ExplainedStep } from '@sallyport/contract/resources/perms/explanation.ts'
import { lastShownKey, lastTestOf } from '../../domains/assets/index.ts'
import type { Say } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { formatDateTime } from '../../kernel/resource/datetime.ts'
import { portOf } from '../connectors/index.ts'
import { type ConnectionTarget, hostKeyScope } from '../targets/connection-target.ts'
import { asks, editTarget, passed } from './step.ts'

/**
 * The machine as it was last time. That is no condition by itself: only the machine says how it is now. Applications have neither keys nor tests.
 */
export async function machineSteps(
  { db }: Kernel,
  loaded: ConnectionTarget,
  say: Say,
  timeZone: string,
): Promise<ExplainedStep[]> {
  const { target, systemUser, address, name } = loaded
  if (target.family !== 'asset') return []
  const [key, test] = await Promise.all([
    systemUser.protocol === 'ssh'
      ? lastShownKey(db, { ...hostKeyScope(loaded), host: address, port: portOf(loaded) })
      : undefined,
    lastTestOf(db, target.id),
  ])
  const words = {
    ...{ target: name, fingerprint: key?.fingerprint ?? '' },
    date: test?.date ? formatDateTime(test.date, timeZone) : '',
  }
  const remedy = editTarget(target, say)
  const steps: ExplainedStep[] = []
  if (key)
    steps.push(
      {
        first: passed('host_key', say('No host key is known yet: the first one that is shown counts')),
        pinned: passed('host_key', say('The host key is known: {{fingerprint}}', words)),
        refused: {
          ...asks(
            'host_key',
            say('{{target}} has shown another host key. An administrator must accept it first', words),
          ),
          remedy,
        },
      }[key.state],
    )
  if (test?.date)
    steps.push(
      test.connectivity === 'failed'
        ? { ...asks('reachable', say('The last test, on {{date}}, could not log in', words)), remedy }
        : passed('reachable', say('The last test, on {{date}}, could log in', words)),
    )
  return steps
}
