import type { Language } from '../../../kernel/i18n/translate.ts'
import type { SettingName } from '../../settings/index.ts'
import type { CardTopic } from '../cards/topic.ts'

export const MESSENGER_NAMES = ['wecom', 'dingtalk', 'feishu'] as const
/**
 * Names the channel, the segment in addresses and, with `_id` appended, the column of a person's id
 * there.
 */
export type MessengerName = (typeof MESSENGER_NAMES)[number]

/** Our application at a messenger, as the settings describe it. */
export interface App {
  id: string
  secret: string
  /** Id of the application that messages come from; FeiShu has none. */
  agent: string
  /** Base URL, without a slash at the end. */
  apiUrl: string
  loginUrl: string
}

/** The text of a message, in the language of its readers. Plain text; the link is absolute. */
export interface Words {
  subject: string
  paragraphs: readonly string[]
  link?: { text: string; url: string }
  /** Lines of a card, and its buttons besides the link. */
  facts?: readonly { label: string; value: string }[]
  buttons?: readonly { text: string; url: string; code?: string; tone: 'good' | 'danger' }[]
  /** The subject of the card, and the language of these words. */
  about?: CardTopic & { language: Language }
}

export interface ApiCall {
  path: string
  query?: Readonly<Record<string, string>>
  /** Sent as JSON, by POST unless `method` says otherwise; without it the call is a GET. */
  body?: object
  method?: 'POST' | 'PATCH'
}

/** A successful answer; fields as the messenger names them. */
export type Answer = Readonly<Record<string, unknown>>

/** Makes calls for one application; see `openApi`. */
export interface Api {
  app: App
  /** Without a token. Throws `MessengerError`. */
  call(call: ApiCall): Promise<Answer>
  /**
   * With the application's access token, which is fetched when it is missing or expired. Throws
   * `MessengerError`.
   */
  callAsApp(call: ApiCall): Promise<Answer>
}

/** A department of the company, and the id of the one above it. */
export interface Department {
  name: string
  parent: string
}

/** All that differs between messengers; everything else treats them alike. */
export interface Messenger {
  name: MessengerName
  title: 'WeCom' | 'DingTalk' | 'FeiShu'
  settings: {
    isOn: SettingName & `AUTH_${string}`
    id: SettingName
    secret: SettingName
    agent?: SettingName
    apiUrl: SettingName
    loginUrl: SettingName
  }
  /**
   * The page that shows a QR code and then sends the browser back to `redirectUri` with `code` and
   * `state`.
   */
  loginPage(app: App, state: string, redirectUri: string): URL
  /** Where every answer has its error number and message. */
  errorFields: { code: string; text: string }
  tokenCall(app: App): ApiCall
  /** Where the answer to `tokenCall` has the token and its lifetime in seconds. */
  tokenFields: { token: string; seconds: string }
  /** How a call carries the token. */
  authorize(token: string): { query?: Record<string, string>; headers?: Record<string, string> }
  /** Error numbers that mean: the token is not valid any more. */
  lapsedToken: readonly number[]
  /** Error numbers that mean: try again later. */
  busy: readonly number[]
  /** Error numbers that mean: no such receiver, or the application may not write to them. */
  unknownReceiver: readonly number[]
  /**
   * Exchanges the code of a QR page for the id of a person of this company; undefined for anybody
   * else.
   */
  idOf(api: Api, code: string): Promise<string | undefined>
  /** Id of the department that is the company itself. */
  topDepartment: string
  /** Error numbers that mean: the company has no such person any more. */
  noSuchPerson: readonly number[]
  /** Ids of the departments that a person is directly in. */
  departmentIdsOf(api: Api, person: string): Promise<string[]>
  department(api: Api, id: string): Promise<Department>
  /** How many people one call can write to. */
  receiversAtOnce: number
  send(api: Api, receivers: readonly string[], words: Words): Promise<string | undefined>
  /** Sends plain text, to test the settings. */
  sendText(api: Api, receiver: string, text: string): Promise<void>
}

/** A messenger refused a call, or could not be asked. */
export class MessengerError extends Error {
  /** The messenger's own error number; undefined when it gave no readable answer. */
  readonly code: number | undefined
  /** Whether the same call may work later. */
  readonly isTemporary: boolean

  constructor(message: string, options: { code?: number | undefined; isTemporary: boolean; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.name = 'MessengerError'
    this.code = options.code
    this.isTemporary = options.isTemporary
  }
}
