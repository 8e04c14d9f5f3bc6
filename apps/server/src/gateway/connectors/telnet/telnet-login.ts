import { guarded } from '../../guard/guarded.ts'

/** How much of the machine's last output is matched. */
const LOOKED_AT = 1024
/** Prompts of a login, at the end of the output. */
const ASKS_NAME = /(?:user\s?name|user|login|account|用户名|用户|账号|登录名)[^\n:：]{0,20}[:：]\s*$/i
const ASKS_PASSWORD = /(?:password|passwd|passcode|密码|口令)[^\n:：]{0,40}[:：]\s*$/i
const LAST_LOGIN = /last (?:\w+ )?login[^\n]*$/i
const REFUSES =
  /(?:login|logon|authentication|password|access|permission)\s+(?:is\s+)?(?:incorrect|failed|failure|invalid|denied|wrong|error)|(?:incorrect|invalid|bad|wrong)\s+(?:login|logon|username|user|password|passwords|credentials)|(?:密码|口令|用户名|登录|认证)[^\n]{0,8}(?:错误|失败|不正确)/i
/** Prompts of shells, and of network equipment such as `<Huawei>`, `[H3C]`, `switch(config)#`. */
const LETS_IN = /(?:[#$%>❯➜\]][ \t]*|last (?:\w+ )?login[^\n]*\n[\s\S]*)$/i

/** An expression that takes longer is passed over; shorter is what a busy machine may take from any. */
const EXPRESSION_MS = 250

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are made of them
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)/g

export interface TelnetLoginOptions {
  username: string
  password: string
  /**
   * An administrator's expression for the output after a successful login (spec A3.32
   * TERMINAL_TELNET_REGEX); empty: the built-in ones.
   */
  success: string
}

export type TelnetLoginStep = { type: string; isSecret: boolean } | 'in' | 'refused' | undefined

/**
 * Decides what to do when a machine that is being logged in to has sent something and waits
 * (contract/gateway.yaml telnet.login).
 */
export class TelnetLogin {
  readonly #options: TelnetLoginOptions
  #said = ''
  #named = false
  #proven = false

  constructor(options: TelnetLoginOptions) {
    this.#options = options
  }

  /** The password was sent: all further output is the person's. */
  get isProven(): boolean {
    return this.#proven
  }

  /** Takes output of the machine. */
  hear(text: string): void {
    this.#said = (this.#said + text.replace(SEQUENCES, '')).slice(-LOOKED_AT)
  }

  /** To be called when the machine is silent. Undefined: it has more to say. */
  next(): TelnetLoginStep {
    const said = this.#said
    const line = said.slice(said.lastIndexOf('\n') + 1)
    const asksName = ASKS_NAME.test(line) && !LAST_LOGIN.test(line)
    const asksPassword = ASKS_PASSWORD.test(line)
    if (this.#proven) {
      // A repeated prompt means that the login was refused.
      if (REFUSES.test(said) || asksName || asksPassword) return 'refused'
      return this.#letsIn(said) ? 'in' : undefined
    }
    if (asksPassword) {
      this.#proven = true
      return this.#answer(this.#options.password, true)
    }
    if (!this.#named && asksName) {
      this.#named = true
      return this.#answer(this.#options.username, false)
    }
    if (!this.#named) return undefined
    if (REFUSES.test(said) || asksName) return 'refused'
    // The account has no password.
    return this.#letsIn(said) ? 'in' : undefined
  }

  #answer(text: string, isSecret: boolean): TelnetLoginStep {
    this.#said = ''
    return { type: `${text}\r`, isSecret }
  }

  #letsIn(said: string): boolean {
    const { success } = this.#options
    if (!success) return LETS_IN.test(said)
    try {
      return guarded(() => new RegExp(success).test(said), EXPRESSION_MS)
    } catch {
      return LETS_IN.test(said)
    }
  }
}
