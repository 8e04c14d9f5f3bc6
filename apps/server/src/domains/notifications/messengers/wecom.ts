import { departmentIn, idsIn } from './departments.ts'
import type { Messenger, Words } from './messenger.ts'
import { agentNumber, asMarkdown, buttonsOf, firstBytes, idIn, isCard } from './words.ts'

/** Bytes of a text or markdown message. */
const MAX_BYTES = 2048

/**
 * WeCom (developer.work.weixin.qq.com): sign-in by QR code for web applications, members, messages
 * of an application.
 */
export const wecom: Messenger = {
  name: 'wecom',
  title: 'WeCom',
  settings: {
    isOn: 'AUTH_WECOM',
    id: 'WECOM_CORPID',
    secret: 'WECOM_SECRET',
    agent: 'WECOM_AGENTID',
    apiUrl: 'WECOM_API_URL',
    loginUrl: 'WECOM_LOGIN_URL',
  },
  loginPage: (app, state, redirectUri) => {
    const page = new URL(`${app.loginUrl}/wwopen/sso/qrConnect`)
    page.search = new URLSearchParams({
      appid: app.id,
      agentid: app.agent,
      redirect_uri: redirectUri,
      state,
    }).toString()
    return page
  },
  errorFields: { code: 'errcode', text: 'errmsg' },
  tokenCall: ({ id, secret }) => ({ path: '/cgi-bin/gettoken', query: { corpid: id, corpsecret: secret } }),
  tokenFields: { token: 'access_token', seconds: 'expires_in' },
  authorize: (access_token) => ({ query: { access_token } }),
  lapsedToken: [40014, 42001],
  busy: [-1, 45009],
  unknownReceiver: [81013, 60111],
  // People of other companies have an OpenId or external_userid instead of a UserId.
  async idOf(api, code) {
    const answer = await api.callAsApp({ path: '/cgi-bin/auth/getuserinfo', query: { code } })
    return idIn(answer.userid) ?? idIn(answer.UserId)
  },
  topDepartment: '1',
  noSuchPerson: [60111],
  async departmentIdsOf(api, userid) {
    return idsIn((await api.callAsApp({ path: '/cgi-bin/user/get', query: { userid } })).department)
  },
  async department(api, id) {
    const { department } = await api.callAsApp({ path: '/cgi-bin/department/get', query: { id } })
    const { name, parentid } = (department ?? {}) as { name?: unknown; parentid?: unknown }
    return departmentIn(name, parentid)
  },
  receiversAtOnce: 100,
  async send(api, receivers, words) {
    await api.callAsApp({
      path: '/cgi-bin/message/send',
      body: {
        touser: receivers.join('|'),
        agentid: agentNumber(api.app.agent),
        ...(isCard(words) ? cardOf(words) : textOf(words)),
      },
    })
    // A card of this kind is not changed later.
    return undefined
  },
  async sendText(api, receiver, content) {
    const body = { touser: receiver, agentid: agentNumber(api.app.agent), msgtype: 'text', text: { content } }
    await api.callAsApp({ path: '/cgi-bin/message/send', body })
  },
}

const textOf = (words: Words) => ({
  msgtype: 'markdown',
  markdown: { content: firstBytes(asMarkdown(words), MAX_BYTES) },
})

/** Bytes of the parts of a card, and how many lines and buttons it has. */
const CARD = { title: 108, text: 480, label: 30, value: 90, lines: 6, buttons: 3 }

/** A notice card: its buttons lead to pages, and its texts are no Markdown. */
function cardOf(words: Words): object {
  const buttons = buttonsOf(words).slice(0, CARD.buttons)
  return {
    msgtype: 'template_card',
    template_card: {
      card_type: 'text_notice',
      main_title: { title: firstBytes(words.subject, CARD.title) },
      sub_title_text: firstBytes(words.paragraphs.join('\n'), CARD.text),
      horizontal_content_list: (words.facts ?? [])
        .slice(0, CARD.lines)
        .map(({ label, value }) => ({ keyname: firstBytes(label, CARD.label), value: firstBytes(value, CARD.value) })),
      jump_list: buttons.map(({ text, url }) => ({ type: 1, title: text, url })),
      card_action: { type: 1, url: buttons.at(-1)?.url },
    },
  }
}
