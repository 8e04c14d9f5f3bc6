import { guarded } from '../../guard/guarded.ts'

/** How much of the machine's last output is matched. */
const LOOKED_AT = 1024
/** Text between the word of a prompt and its colon: whose it is, or a default. */
const OF_PROMPT = '(?: ?(?:as|name|id|for|of) [^\\n:：?]{1,32}|[^\\n:：?.!\\[]{0,20}|\\s*\\[[^\\n\\]?/]{0,32}\\]\\s*)'
const NAMES =
  'user\\s?-?name|user(?:\\s?id)?|login(?:\\s?name)?|account|benutzer(?:name)?|identifiant|utilisateur|usuario|utente|用户名|用户|账号|帐号|登录名|ユーザー名'
const PASSWORDS =
  'password|passwd|passcode|passphrase|passwort|kennwort|mot de passe|contraseña|senha|密码|口令|パスワード'
/** Prompts of a login, at the end of the output. */
const ASKS_NAME = new RegExp(`(?:${NAMES})${OF_PROMPT}[:：]\\s*$`, 'i')
const ASKS_PASSWORD = new RegExp(`(?:${PASSWORDS})${OF_PROMPT}[:：]\\s*$`, 'i')
/** Another password than the stored one is asked for, or an answer that no login has. */
const ASKS_OTHER =
  /\b(?:new|old|current|change|confirm|again|retype|re-enter|verify|enable|y\/n|yes\/no)\b|[新旧原]密码|再次|确认/i
const LAST_LOGIN = /last (?:\w+ )*login[^\n]*$/i
/** A whole line that says it: in the middle of others, such as a banner's, these words mean something else. */
const REFUSES =
  /^[^a-z\n]*(?:(?:error|info|aaa|login|warning|remote)\b[^a-z\n]*){0,2}(?:(?:user\s?name|user|login|logon|authentication|authorization|password|access|permission)(?: (?:or|and) (?:user\s?name|password))*(?: is| was| has)? (?:incorrect|failed|fail|failure|invalid|denied|wrong|error|rejected)|(?:incorrect|invalid|bad|wrong|unknown|no) (?:login|logon|user\s?name|user|passwords?|credentials|secrets?)(?: (?:or|and|\/) (?:bad |user\s?name|password)+)*)(?:[^a-z\n]*|[:,;] [^\n]{0,60}|[.!] (?:please )?(?:try|re-?enter)[^\n]{0,40})$/im
const REFUSES_IN_CHINESE =
  /^[^\n]{0,12}(?:密码|口令|用户名|登录|认证|鉴权)[^\n]{0,8}(?:错误|失败|不正确|有误)[^\n]{0,16}$/m
/** Prompts of shells, and of network equipment such as `<Huawei>`, `[H3C]`, `switch(config)#`. */
const LETS_IN = /(?:[#$%>❯➜\]][ \t]*|last (?:\w+ )*login[^\n]*\n[\s\S]*)$/i
/** Questions that a mere return answers, whatever is behind them. */
const WANTS_RETURN =
  /(?:press|hit|strike|按|请按)[^\n]{0,24}(?:any key|<?(?:return|enter|cr)>?|任意键|回车)[^\n]{0,40}$/i
/** A return is sent so often. */
const RETURNS_MAX = 3
/** A question of another kind. */
const ASKS_OTHERWISE = /(?:\[y\/n\]|\(y\/n\)|\(yes\/no\)|\[yes\/no\]|\?)[^\n]{0,8}$/i

/** An expression that takes longer is passed over; shorter is what a busy machine may take from any. */
const EXPRESSION_MS = 250

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are made of them
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][\w]|.)/g

export interface TelnetLoginOptions {
  username: string
  password: string
  /**
   * An administrator's expression for the output after a successful login (A3.32
   * TERMINAL_TELNET_REGEX); empty: the built-in ones.
   */
  success: string
}

export type TelnetLoginStep = { type: string; isSecret: boolean } | 'in' | 'refused' | undefined

/**
 * Decides what to do when a machine that is being logged in to has sent something and waits
 * (docs/rules/gateway.md#telnet). What it does not surely know is for the person to answer.
 */
export class TelnetLogin {
  readonly #options: TelnetLoginOptions
  #output = ''
  #hasSpoken = false
  #named = false
  #proven = false
  #returns = 0
  /** The prompt that the password was given to. */
  #prompt = ''

  constructor(options: TelnetLoginOptions) {
    this.#options = options
  }

  /** The password was sent: all further output is the person's. */
  get isProven(): boolean {
    return this.#proven
  }

  /** The machine has said something, be it not understood. */
  get hasSpoken(): boolean {
    return this.#hasSpoken
  }

  /** It may wait for an answer that only the person can give: nothing of what it has said says so for sure. */
  get isUnsure(): boolean {
    if (this.#proven) return this.#output.trim() !== ''
    return ASKS_OTHERWISE.test(this.#line)
  }

  /** Takes output of the machine. */
  hear(text: string): void {
    const plain = text.replace(SEQUENCES, '')
    this.#hasSpoken ||= plain.trim() !== ''
    this.#output = (this.#output + plain).slice(-LOOKED_AT)
  }

  /** To be called when the machine is silent. Undefined: it has more to say, or what it says is not known. */
  next(): TelnetLoginStep {
    const line = this.#line
    const isOther = ASKS_OTHER.test(line) || ASKS_OTHERWISE.test(line)
    const asksPassword = ASKS_PASSWORD.test(line) && !isOther
    const asksName = ASKS_NAME.test(line) && !LAST_LOGIN.test(line) && !isOther && !asksPassword
    if (this.#proven) {
      // A repeated prompt means that the login was refused; another one is a further question.
      if (asksName || (asksPassword && promptOf(line) === this.#prompt)) return 'refused'
      if (this.#letsIn()) return 'in'
      return this.#refuses() && !asksPassword && !isOther ? 'refused' : undefined
    }
    if (asksPassword) {
      this.#proven = true
      this.#prompt = promptOf(line)
      return this.#answer(this.#options.password, true)
    }
    if (!this.#named && asksName) {
      this.#named = true
      return this.#answer(this.#options.username, false)
    }
    if (WANTS_RETURN.test(line.trim() || this.#output.trim()) && this.#returns < RETURNS_MAX) {
      this.#returns++
      return this.#answer('', false)
    }
    if (!this.#named) return undefined
    if (this.#refuses() || asksName) return 'refused'
    // The account has no password.
    return this.#letsIn() ? 'in' : undefined
  }

  get #line(): string {
    return this.#output.slice(this.#output.lastIndexOf('\n') + 1)
  }

  #answer(text: string, isSecret: boolean): TelnetLoginStep {
    this.#output = ''
    return { type: `${text}\r`, isSecret }
  }

  #refuses(): boolean {
    const output = this.#output.replaceAll('\r', '')
    return REFUSES.test(output) || REFUSES_IN_CHINESE.test(output)
  }

  #letsIn(): boolean {
    const output = this.#output
    const { success } = this.#options
    if (!success) return LETS_IN.test(output)
    try {
      return guarded(() => new RegExp(success).test(output), EXPRESSION_MS)
    } catch {
      // It says nothing then: the built-in ones do, and what they do not know is the person's to answer.
      return LETS_IN.test(output)
    }
  }
}

const promptOf = (line: string): string => line.trim().toLowerCase()
