import type { Kernel } from '../../kernel/kernel.ts'
import { type ContentIn, notify, notifySubscribers } from '../notifications/index.ts'
import type { opsBackgroundTask } from './tables.ts'

/** Nobody watches for longer: the person who started so long a task gets a notice of its end. */
const LONG_MS = 60_000

type EndedTask = typeof opsBackgroundTask.$inferSelect

/** Options of the notice of an end. */
export interface EndNotice {
  /** However soon it comes. */
  isAlwaysNotified?: boolean | undefined
  /** The subject, where the task's name does not say it. */
  about?: string | undefined
}

/**
 * Tells of the end of a background task: who started it, where it took long or is `isAlwaysNotified`, and the subscribers of
 * failed tasks, where it failed as a whole or on a machine. Never throws.
 */
export async function notifyOfEnd(
  kernel: Kernel,
  task: EndedTask,
  { isAlwaysNotified = false, about }: EndNotice = {},
): Promise<void> {
  const { user_id, date_started, date_finished } = task
  const took = date_started && date_finished ? date_finished.getTime() - date_started.getTime() : 0
  if (user_id && (isAlwaysNotified || took >= LONG_MS)) await notify(kernel, [user_id], endOf(task, about))
  if (hasFailed(task))
    await notifySubscribers(kernel, 'TaskFailureMessage', endOf(task, about)).catch((error) =>
      kernel.app.log.error({ err: error, task: task.id }, 'subscribers of failed tasks could not be told'),
    )
}

const failuresOf = ({ result }: EndedTask) => Number(result?.failed ?? 0)
const hasFailed = (task: EndedTask) => task.state === 'FAILURE' || failuresOf(task) > 0

const endOf =
  (task: EndedTask, about?: string): ContentIn =>
  (say) => {
    const { success = 0, skipped = 0 } = task.result ?? {}
    const failed = failuresOf(task)
    const name = about ? `${say(task.name)} ${about}` : say(task.name)
    return {
      subject: hasFailed(task)
        ? say('Task failed: {{task}}', { task: name })
        : say('Task finished: {{task}}', { task: name }),
      paragraphs: [
        'success' in (task.result ?? {})
          ? say('{{success}} succeeded, {{failed}} failed, {{skipped}} skipped.', { success, failed, skipped })
          : say(hasFailed(task) ? 'Why is in its output.' : 'It is done.'),
      ],
      link: { text: say('Show the output'), path: `/ui/ops/celery/task/${task.id}/log/` },
    }
  }
