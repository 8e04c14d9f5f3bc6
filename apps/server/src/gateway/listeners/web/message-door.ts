import { type HandlersOf, type KindsOf, type Refusal, type Schemas, take } from '@sallyport/contract/socket/message.ts'
import { readJson } from '../../../kernel/http/read-json.ts'

/** Takes a message of a client, or answers why it did not. */
export type MessageDoor = (message: { type: string; data?: string | undefined }) => Refusal | undefined

/** Door of a role without messages. */
export const noDoor: MessageDoor = () => 'unknown'

/**
 * The door of a page: what arrives is bounded, read once, and handed to what takes its kind. `refused`
 * says who waits for an answer to a malformed one; it is called with what was sent.
 */
export function messageDoor<S extends Schemas>(
  kinds: KindsOf<S>,
  on: HandlersOf<NoInfer<S>>,
  refused: { readonly [Type in keyof NoInfer<S>]?: (sent: string) => void } = {},
): MessageDoor {
  const toldOf = new Map(Object.entries<((sent: string) => void) | undefined>(refused))
  return ({ type, data = '' }) => {
    const why = take(kinds, on, { type, data }, readJson)
    if (why === 'malformed') toldOf.get(type)?.(data)
    return why
  }
}
