import type { Events } from '../../kernel/events/events.ts'

/**
 * Told on every node when a person was changed, disabled or deleted: live sessions check again
 * whether they may go on.
 */
export const USER_CHANGED = 'users.changed'

export async function announceUserChange(events: Events, userId: string): Promise<void> {
  await events.publish(USER_CHANGED, { user_id: userId })
}
