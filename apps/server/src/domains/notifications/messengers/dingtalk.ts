import { serverZone } from '../../../kernel/server-zone.ts'
import { signDingTalk } from '../../../kernel/signatures/dingtalk.ts'
import { departmentIn, idsIn } from './departments.ts'
import type { Api, Messenger, Words } from './messenger.ts'
import { agentNumber, asMarkdown, buttonsOf, firstBytes, idIn, isCard, linesOf } from './words.ts'

const MAX_BYTES = 4096
/** `contact_type` of people of this company; 1 is an external contact. */
const OWN_PEOPLE = 0
const NO_SUCH_PERSON = 60121

/**
 * DingTalk (open.dingtalk.com): sign-in by QR code, people by union id, work notifications of an
 * application.
 */
export const dingtalk: Messenger = {
  name: 'dingtalk',
  title: 'DingTalk',
  settings: {
    isOn: 'AUTH_DINGTALK',
    id: 'DINGTALK_APPKEY',
    secret: 'DINGTALK_APPSECRET',
    agent: 'DINGTALK_AGENTID',
    apiUrl: 'DINGTALK_API_URL',
    loginUrl: 'DINGTALK_API_URL',
  },
  loginPage: (app, state, redirectUri) => {
    const page = new URL(`${app.loginUrl}/connect/qrconnect`)
    const asked = { appid: app.id, response_type: 'code', scope: 'snsapi_login', state, redirect_uri: redirectUri }
    page.search = new URLSearchParams(asked).toString()
    return page
  },
  errorFields: { code: 'errcode', text: 'errmsg' },
  tokenCall: ({ id, secret }) => ({ path: '/gettoken', query: { appkey: id, appsecret: secret } }),
  tokenFields: { token: 'access_token', seconds: 'expires_in' },
  authorize: (access_token) => ({ query: { access_token } }),
  lapsedToken: [88, 40014, 42001],
  busy: [-1, 90002, 90018],
  unknownReceiver: [33012, 60121, 400002],
  async idOf(api, code) {
    const proof = await api.call({
      path: '/sns/getuserinfo_bycode',
      query: signDingTalk(api.app.id, api.app.secret, new Date()),
      body: { tmp_auth_code: code },
    })
    const unionid = idIn((proof.user_info as { unionid?: unknown } | undefined)?.unionid)
    return unionid && personOf(api, unionid)
  },
  topDepartment: '1',
  noSuchPerson: [NO_SUCH_PERSON],
  async departmentIdsOf(api, userid) {
    const { result } = await api.callAsApp({ path: '/topapi/v2/user/get', body: { userid } })
    return idsIn((result as { dept_id_list?: unknown } | undefined)?.dept_id_list)
  },
  async department(api, id) {
    const { result } = await api.callAsApp({ path: '/topapi/v2/department/get', body: { dept_id: Number(id) } })
    const { name, parent_id } = (result ?? {}) as { name?: unknown; parent_id?: unknown }
    return departmentIn(name, parent_id)
  },
  receiversAtOnce: 100,
  send: (api, receivers, words) => {
    // DingTalk drops a repeated message to the same person for the rest of the day; the time makes
    // each different.
    const paragraphs = [
      ...words.paragraphs,
      new Date().toLocaleString('zh-CN', { hour12: false, timeZone: serverZone() }),
    ]
    if (isCard(words)) return notice(api, receivers, cardOf({ ...words, paragraphs }))
    const text = firstBytes(asMarkdown({ ...words, paragraphs }), MAX_BYTES)
    return notice(api, receivers, { msgtype: 'markdown', markdown: { title: words.subject.slice(0, 100), text } })
  },
  sendText: (api, receiver, content) => notice(api, [receiver], { msgtype: 'text', text: { content } }),
}

async function personOf(api: Api, unionid: string): Promise<string | undefined> {
  try {
    const { result } = await api.callAsApp({ path: '/topapi/user/getbyunionid', body: { unionid } })
    const person = result as { contact_type?: unknown; userid?: unknown } | undefined
    return person?.contact_type === OWN_PEOPLE ? idIn(person.userid) : undefined
  } catch (error) {
    if ((error as { code?: unknown }).code === NO_SUCH_PERSON) return undefined
    throw error
  }
}

/** Its messages are not changed later, so that none is named. */
async function notice(api: Api, receivers: readonly string[], msg: object): Promise<undefined> {
  const body = { agent_id: agentNumber(api.app.agent), userid_list: receivers.join(','), msg }
  await api.callAsApp({ path: '/topapi/message/corpconversation/asyncsend_v2', body })
}

/** A card with buttons that lead to pages. Its text is Markdown, in which names make no links. */
function cardOf(words: Words): object {
  const { link: _, ...others } = words
  return {
    msgtype: 'action_card',
    action_card: {
      title: words.subject.slice(0, 100),
      markdown: firstBytes(asMarkdown({ ...others, paragraphs: linesOf(words) }), MAX_BYTES),
      btn_orientation: '1',
      btn_json_list: buttonsOf(words).map(({ text, url }) => ({ title: text, action_url: url })),
    },
  }
}
