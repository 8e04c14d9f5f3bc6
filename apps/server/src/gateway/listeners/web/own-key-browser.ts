import { z } from 'zod'
import { type KeyAnswer, KeyBrowser, type KeyQuestion, KeyRefusal } from '../../workbench/redis/key-browser.ts'
import { KINDS, type Kind } from '../../workbench/redis/kinds.ts'
import { SessionTarget } from '../../workbench/session-target.ts'
import { OwnBrowser } from './own-browser.ts'
import type { TerminalRequest } from './role.ts'

const KEY_CHARACTERS = 64 * 1024

const key = z.union([
  z.string().max(KEY_CHARACTERS),
  z.tuple([
    z
      .string()
      .max(2 * KEY_CHARACTERS)
      .regex(/^(?:[0-9a-f]{2})+$/),
  ]),
])
const cursor = z.string().regex(/^\d{1,20}$/)
const askedSchema = z.object({
  question: z.number().int().min(0),
  ask: z.discriminatedUnion('about', [
    z.object({ about: z.literal('keys'), cursor, pattern: z.string().max(1024), type: z.string().max(64) }),
    z.object({ about: z.literal('key'), key }),
    z.object({
      about: z.literal('elements'),
      key,
      type: z.enum(Object.keys(KINDS) as [Kind, ...Kind[]]),
      // A place, a cursor, or the id of a stream's entry.
      from: z.string().regex(/^(?:\d{1,20}(?:-\d{1,20})?)?$/),
    }),
  ]),
})

/** The keys of a Redis server in a page: a session of statements whose client is that page. */
export class OwnKeyBrowser extends OwnBrowser<KeyQuestion> {
  #browser: KeyBrowser | undefined

  constructor(request: TerminalRequest) {
    super(request, askedSchema)
  }

  protected async connect(): Promise<Record<string, unknown>> {
    const { gateway, line, person, query } = this.request
    const target = new SessionTarget({
      // The server itself refuses what takes the place of a refused command.
      refuse() {},
      tell: (what) => this.tell(what),
    })
    const browser = await KeyBrowser.open(async (wire) => {
      const live = await gateway.open(
        {
          kind: 'statements',
          person,
          target: { family: query.family, id: query.target_id },
          systemUserId: query.system_user_id ?? '',
          dialogue: this.dialogue,
          owner: target.owner,
          wire,
          onCreated: (session) => line.send('TERMINAL_SESSION', { session }),
        },
        this.over.signal,
      )
      this.live = live
      target.in(live)
      return target
    })
    await browser.start(() => line.finish())
    this.#browser = browser
    return { dialect: 'redis', database: browser.database }
  }

  protected ask(question: KeyQuestion): Promise<KeyAnswer> | undefined {
    return this.#browser?.ask(question)
  }

  protected cancel(): void {
    this.#browser?.cancel()
  }

  protected wordsOf(error: unknown): string | undefined {
    return error instanceof KeyRefusal ? error.message : undefined
  }
}
