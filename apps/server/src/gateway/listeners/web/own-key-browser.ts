import { KEYS, type KeyQuestion } from '@sallyport/contract/socket/keys.ts'
import { type KeyAnswer, KeyBrowser, KeyRefusal } from '../../workbench/redis/key-browser.ts'
import { SessionTarget } from '../../workbench/session-target.ts'
import { messageDoor } from './message-door.ts'
import { OwnBrowser } from './own-browser.ts'

/** The keys of a Redis server in a page: a session of statements whose client is that page. */
export class OwnKeyBrowser extends OwnBrowser<KeyQuestion> {
  #browser: KeyBrowser | undefined
  protected readonly door = messageDoor(KEYS.fromClient, this.asking, this.refused)

  protected async connect() {
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
    return { dialect: 'redis' as const, database: browser.database }
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
