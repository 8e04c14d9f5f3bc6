import { sql } from 'drizzle-orm'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ContentIn } from '../content.ts'
import { SYSTEM_KINDS, type SystemKind } from '../kinds.ts'

/** Their words hold the command, in which a password may be. */
const WITH_COMMAND: readonly SystemKind[] = ['CommandAlertMessage', 'CommandExecutionAlert']

/** Queues a message to the webhooks that want alarms. `orgId`: of whom it is; absent for the installation. */
export async function tellWebhooksOfAlarm(
  kernel: Kernel,
  kind: SystemKind,
  contentIn: ContentIn,
  orgId: string | undefined,
): Promise<void> {
  const { subject, paragraphs, link } = contentIn((english, values) => translate('en', english, values))
  const isSecret = WITH_COMMAND.includes(kind)
  const data = {
    alarm: kind,
    title: isSecret ? SYSTEM_KINDS[kind].label : subject,
    text: isSecret ? [] : paragraphs,
    page: link?.path ?? null,
  }
  await kernel.db.execute(
    sql`SELECT notifications_tell_webhooks('alarm.raised', ${orgId ?? null}::uuid, ${kind}, ${JSON.stringify(data)}::json)`,
  )
}
