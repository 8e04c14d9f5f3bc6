import { departmentIn, idsIn } from './departments.ts'
import type { Api, Messenger, Words } from './messenger.ts'
import { asPlainText, buttonsOf, firstBytes, idIn, isCard, linesOf } from './words.ts'

const MAX_BYTES = 8192

/**
 * FeiShu (open.feishu.cn): a custom application of the company. People are known by `user_id`,
 * which needs the permission "contact:user.employee_id:readonly".
 */
export const feishu: Messenger = {
  name: 'feishu',
  title: 'FeiShu',
  settings: {
    isOn: 'AUTH_FEISHU',
    id: 'FEISHU_APP_ID',
    secret: 'FEISHU_APP_SECRET',
    apiUrl: 'FEISHU_API_URL',
    loginUrl: 'FEISHU_API_URL',
  },
  loginPage: (app, state, redirectUri) => {
    const page = new URL(`${app.loginUrl}/open-apis/authen/v1/index`)
    page.search = new URLSearchParams({ app_id: app.id, redirect_uri: redirectUri, state }).toString()
    return page
  },
  errorFields: { code: 'code', text: 'msg' },
  tokenCall: ({ id, secret }) => ({
    path: '/open-apis/auth/v3/tenant_access_token/internal',
    body: { app_id: id, app_secret: secret },
  }),
  tokenFields: { token: 'tenant_access_token', seconds: 'expire' },
  authorize: (token) => ({ headers: { authorization: `Bearer ${token}` } }),
  lapsedToken: [99991663, 99991664],
  busy: [99991400],
  unknownReceiver: [230001, 230013, 99992351, 99992360],
  async idOf(api, code) {
    const { data } = await api.callAsApp({
      path: '/open-apis/authen/v1/access_token',
      body: { grant_type: 'authorization_code', code },
    })
    return idIn((data as { user_id?: unknown } | undefined)?.user_id)
  },
  topDepartment: '0',
  noSuchPerson: [41012],
  async departmentIdsOf(api, person) {
    const { data } = await api.callAsApp({
      path: `/open-apis/contact/v3/users/${encodeURIComponent(person)}`,
      query: { user_id_type: 'user_id', department_id_type: 'open_department_id' },
    })
    const { department_ids, status } = ((data as { user?: unknown } | undefined)?.user ?? {}) as {
      department_ids?: unknown
      status?: { is_resigned?: unknown }
    }
    return status?.is_resigned === true ? [] : idsIn(department_ids)
  },
  async department(api, id) {
    const { data } = await api.callAsApp({
      path: `/open-apis/contact/v3/departments/${id}`,
      query: { department_id_type: 'open_department_id' },
    })
    const { name, parent_department_id } = ((data as { department?: unknown } | undefined)?.department ?? {}) as {
      name?: unknown
      parent_department_id?: unknown
    }
    return departmentIn(name, parent_department_id)
  },
  receiversAtOnce: 1,
  send: (api, receivers, words) =>
    isCard(words)
      ? sendTo(api, receivers, 'interactive', cardOf(words))
      : sendTo(api, receivers, 'text', { text: firstBytes(asPlainText(words), MAX_BYTES) }),
  async sendText(api, receiver, text) {
    await sendTo(api, [receiver], 'text', { text })
  },
}

const MESSAGES = '/open-apis/im/v1/messages'

/** Answers the id of the last message. */
async function sendTo(
  api: Api,
  receivers: readonly string[],
  msg_type: string,
  content: object,
): Promise<string | undefined> {
  let id: unknown
  for (const receive_id of receivers) {
    const { data } = await api.callAsApp({
      path: MESSAGES,
      query: { receive_id_type: 'user_id' },
      body: { receive_id, msg_type, content: JSON.stringify(content) },
    })
    id = (data as { message_id?: unknown } | undefined)?.message_id
  }
  return typeof id === 'string' ? id : undefined
}

/** Puts other words into a card, within 14 days. Throws `MessengerError`. */
export async function changeFeishuCard(api: Api, id: string, words: Words): Promise<void> {
  await api.callAsApp({
    method: 'PATCH',
    path: `${MESSAGES}/${encodeURIComponent(id)}`,
    body: { content: JSON.stringify(cardOf(words)) },
  })
}

const BUTTON = { good: 'primary', danger: 'danger' } as const

/** A card of plain text, whose buttons lead to pages. */
function cardOf(words: Words): object {
  const plain = (content: string) => ({ tag: 'plain_text', content })
  return {
    // Without `update_multi` it could not be changed later.
    config: { wide_screen_mode: true, update_multi: true },
    header: { title: plain(firstBytes(words.subject, MAX_BYTES / 8)), template: 'blue' },
    elements: [
      ...linesOf(words).map((line) => ({ tag: 'div', text: plain(firstBytes(line, MAX_BYTES / 8)) })),
      {
        tag: 'action',
        actions: buttonsOf(words).map(({ text, url, tone }) => ({
          tag: 'button',
          text: plain(text),
          type: tone ? BUTTON[tone] : 'default',
          url,
        })),
      },
    ],
  }
}
