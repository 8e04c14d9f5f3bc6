import { findGrantedNodes, type WireNode } from '../../../domains/perms/index.ts'
import { settingsOf } from '../../../domains/settings/index.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainText } from '../../prompt/plain-text.ts'
import type { Person } from '../../session/person.ts'
import type { GrantedTarget, ListName } from '../../targets/granted-list.ts'
import { grantedList } from '../../targets/session-families.ts'
import { type ConnectionChoice, chooseSystemUser, preferred, systemUsersFor } from './choose.ts'
import { readCommand } from './command.ts'
import { drawHelp } from './help.ts'
import { recallLanguage, rememberLanguage } from './language.ts'
import { LineEditor } from './line-editor.ts'
import { drawNodes, MAX_NODES } from './node-tree.ts'
import { drawTargetPage, loadTargetPage, type TargetPage, type TargetScope, wordsOf } from './target-page.ts'
import type { MenuTerminal } from './terminal-line.ts'

export interface MenuOptions {
  /** The `s` key changes their language. */
  person: Person
  terminal: MenuTerminal
  /**
   * Opens a session and settles when it has ended; meanwhile input goes to the session instead of
   * the menu. Refusals have been shown.
   */
  connect(choice: ConnectionChoice): Promise<void>
}

const PROMPTS = { menu: 'Opt> ', host: '[Host]> ', database: '[DB]> ', kubernetes: '[K8S]> ' } as const
/** Words that can narrow a list, however often somebody narrows it. */
const MAX_WORDS = 20
const YELLOW = '\x1b[33m'
const RESET = '\x1b[0m'

/**
 * The menu of the SSH listener (docs/rules/gateway.md#menu): lists what a person was granted, read
 * again at every key, and connects to what they choose.
 */
export class Menu {
  readonly #kernel: Kernel
  readonly #person: Person
  readonly #terminal: MenuTerminal
  readonly #open: MenuOptions['connect']
  readonly #lines: LineEditor
  /** The list on screen, which a search covers. */
  #place: keyof typeof PROMPTS = 'menu'
  #page: TargetPage | undefined
  /** The nodes of the tree last shown, in its order. */
  #nodes: WireNode[] | undefined

  constructor(kernel: Kernel, { person, terminal, connect }: MenuOptions) {
    this.#kernel = kernel
    this.#person = person
    this.#terminal = terminal
    this.#open = connect
    this.#lines = new LineEditor(terminal)
    recallLanguage(person)
  }

  /** Takes what the person types while no session is open. */
  input(bytes: Buffer): void {
    this.#lines.input(bytes)
  }

  resize(): void {
    this.#lines.resize()
  }

  close(): void {
    this.#lines.close()
  }

  /**
   * Settles when the person leaves (q, exit, quit, Ctrl-D) or `close` was called; never rejects.
   */
  async run(): Promise<void> {
    this.#showHelp()
    while (true) {
      const answer = await this.#lines.read(PROMPTS[this.#place])
      if (answer === 'ended') break
      if (answer === 'interrupted') continue
      if ((await this.#obey(answer.text)) === 'leave') break
    }
    // Otherwise the window would keep the title of the last session.
    this.#terminal.write(`\x1b]0;${this.#title() || 'Sallyport'}\x07`)
  }

  async #obey(line: string): Promise<'leave' | undefined> {
    const command = readCommand(line, this.#page?.targets.length ?? 0)
    if (command.wants === 'leave') return 'leave'
    try {
      await this.#do(command)
    } catch (error) {
      this.#kernel.app.log.error({ err: error, user: this.#person.id }, 'a command of the terminal menu failed')
      this.#notice(this.#say('This did not work, please try again'))
    }
    return undefined
  }

  async #do(command: ReturnType<typeof readCommand>): Promise<void> {
    switch (command.wants) {
      case 'help':
        return this.#showHelp()
      case 'language':
        return this.#switchLanguage()
      case 'assets':
        return this.#search({ list: 'host', words: [] })
      case 'nodes':
        return this.#showNodes()
      case 'node':
        return this.#showNode(command)
      case 'databases':
        return this.#search({ list: 'database', words: [] })
      case 'kubernetes':
        return this.#search({ list: 'kubernetes', words: [] })
      case 'refresh':
        return this.#refresh()
      case 'enter':
      case 'next':
        return this.#page ? this.#turn(1) : this.#search({ list: this.#list, words: [] })
      case 'previous':
        return this.#turn(-1)
      case 'row': {
        const target = this.#page?.targets[command.number - 1]
        return target && this.#connect(target)
      }
      case 'narrow':
        return this.#search({
          ...(this.#page?.scope ?? { list: this.#list }),
          words: [...(this.#page?.scope.words ?? []), ...wordsOf(command.text)],
        })
      case 'search':
        return this.#search({ list: this.#list, words: wordsOf(command.text) })
      case 'find':
        return this.#find(command.text)
      case 'leave':
        return
      default:
        command satisfies never
    }
  }

  #showHelp(): void {
    this.#place = 'menu'
    this.#page = undefined
    this.#terminal.write(drawHelp(this.#person.language, plainText(this.#person.name), this.#title()))
  }

  #switchLanguage(): void {
    this.#person.language = this.#person.language === 'cn' ? 'en' : 'cn'
    rememberLanguage(this.#person)
    this.#showHelp()
  }

  /** The list that a search covers: the one on screen, else hosts. */
  get #list(): ListName {
    return this.#place === 'menu' ? 'host' : this.#place
  }

  async #search(scope: TargetScope): Promise<void> {
    this.#showPage(await this.#load({ ...scope, words: scope.words.slice(0, MAX_WORDS) }))
  }

  #load(scope: TargetScope, offset?: number): Promise<TargetPage> {
    return loadTargetPage(this.#kernel, this.#person, this.#terminal, scope, offset)
  }

  #showPage(page: TargetPage): void {
    this.#place = page.scope.list
    if (!page.total) {
      // A search that finds nothing leaves the list that was there; a list that has become empty
      // disappears.
      if (!page.scope.words.length || page.scope === this.#page?.scope) this.#page = undefined
      this.#notice(this.#nothing(page.scope))
      return
    }
    this.#page = page
    this.#terminal.write(drawTargetPage(page, this.#person.language, this.#terminal.size().cols))
  }

  #nothing({ list, node, words }: TargetScope): string {
    switch (list) {
      case 'host':
        return node && !words.length ? this.#say('This node has no assets') : this.#say('No assets')
      case 'database':
        return this.#say('No databases')
      case 'kubernetes':
        return this.#say('No Kubernetes clusters')
      default:
        return list satisfies never
    }
  }

  async #turn(direction: 1 | -1): Promise<void> {
    const page = this.#page
    if (!page) return
    const end = page.offset + page.targets.length
    if (direction === 1 && end >= page.total) return this.#notice(this.#say('This is the last page'))
    if (direction === -1 && page.offset === 0) return this.#notice(this.#say('This is the first page'))
    this.#showPage(await this.#load(page.scope, direction === 1 ? end : Math.max(0, page.offset - page.size)))
  }

  /** Input that is a whole name or address means that target, even when others contain it. */
  async #find(text: string): Promise<void> {
    const list = this.#list
    const exact = await grantedList(list)?.find(this.#kernel, { userId: this.#person.id, named: text, limit: 2 })
    const page = exact?.targets.length === 1 ? undefined : await this.#load({ list, words: wordsOf(text) })
    const [only] = (page ?? exact)?.targets ?? []
    if (only && (page?.total ?? 1) === 1) await this.#connect(only)
    else if (page) this.#showPage(page)
  }

  async #showNodes(): Promise<void> {
    const nodes = await this.#loadNodes()
    if (!nodes.length) return this.#notice(this.#say('No nodes'))
    this.#terminal.write(drawNodes(nodes, this.#person.language, this.#terminal.size().cols))
  }

  async #loadNodes(): Promise<WireNode[]> {
    const nodes = await findGrantedNodes(this.#kernel, { userId: this.#person.id, language: this.#person.language })
    this.#nodes = nodes.slice(0, MAX_NODES)
    return nodes
  }

  async #showNode({ number, text }: { number: number; text: string }): Promise<void> {
    if (!this.#nodes) await this.#loadNodes()
    const node = this.#nodes?.[number - 1]
    if (!node) return this.#find(text)
    this.#showPage(await this.#load({ list: 'host', node, words: [] }))
  }

  /** Lists are read at every key anyway: this shows the current one as it is now. */
  async #refresh(): Promise<void> {
    this.#nodes = undefined
    this.#notice(this.#say('Refreshed'))
    if (this.#page) this.#showPage(await this.#load(this.#page.scope, this.#page.offset))
  }

  async #connect(granted: GrantedTarget): Promise<void> {
    const name = { asset: plainText(granted.name) }
    if (!granted.isActive) return this.#notice(this.#say('The asset {{asset}} is inactive', name))
    const systemUsers = (await systemUsersFor(this.#kernel, this.#person, granted.target)) ?? []
    if (!systemUsers.length) return this.#notice(this.#say('You have no system user on {{asset}}', name))
    const hit = { granted, systemUsers: preferred(systemUsers) }
    const systemUser = await chooseSystemUser(this.#lines, this.#terminal, this.#person, hit)
    if (!systemUser) return
    await this.#open({ target: granted.target, systemUserId: systemUser.id })
    // The rest of a paste was meant for the machine: the menu must not take it for a choice.
    this.#lines.forgetAhead()
  }

  #notice(text: string): void {
    this.#terminal.write(`${YELLOW}${text}${RESET}\r\n`)
  }

  #say(text: string, values?: Record<string, unknown>): string {
    return translate(this.#person.language, text, values)
  }

  #title(): string {
    return plainText(settingsOf(this.#kernel).get('LOGIN_TITLE'))
  }
}
