import type { Settings } from '../../settings/index.ts'
import type { Words } from '../messengers/messenger.ts'

export const CHAT_NAMES = ['slack', 'teams'] as const
/** Names the channel, the category of settings and the segment in addresses. */
export type ChatName = (typeof CHAT_NAMES)[number]

/**
 * A service that writes to people by their mail, and to one room. Nobody signs in by it, and nobody
 * is bound to it.
 */
export interface Chat {
  name: ChatName
  title: 'Slack' | 'Microsoft Teams'
  /** Whether people are written to, and the settings say how. */
  reachesPeople(settings: Settings): boolean
  /** Whether system messages go to a room, and the settings name it. */
  hasRoom(settings: Settings): boolean
  /**
   * To the person whom the service knows by this mail. Answers how the service names the message, if
   * it can be changed later. Throws `ChatError`.
   */
  sendToPerson(settings: Settings, mail: string, words: Words): Promise<string | undefined>
  /** To the room. Throws `ChatError`. */
  sendToRoom(settings: Settings, words: Words): Promise<void>
}

/** A service refused a call, or could not be asked. */
export class ChatError extends Error {
  /** Whether the same call may work later. */
  readonly isTemporary: boolean
  /** Whether the service gave a readable answer. */
  readonly answered: boolean
  /** That nobody is known there by the mail. */
  readonly isUnknownPerson: boolean

  constructor(
    message: string,
    how: { isTemporary: boolean; answered?: boolean; isUnknownPerson?: boolean; cause?: unknown },
  ) {
    super(message, { cause: how.cause })
    this.name = 'ChatError'
    this.isTemporary = how.isTemporary
    this.answered = how.answered ?? false
    this.isUnknownPerson = how.isUnknownPerson ?? false
  }
}
