import type { Messenger } from './messenger.ts'
import { agentNumber, asMarkdown, firstBytes, idIn } from './words.ts'

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
  receiversAtOnce: 100,
  async send(api, receivers, words) {
    await api.callAsApp({
      path: '/cgi-bin/message/send',
      body: {
        touser: receivers.join('|'),
        agentid: agentNumber(api.app.agent),
        msgtype: 'markdown',
        markdown: { content: firstBytes(asMarkdown(words), MAX_BYTES) },
      },
    })
  },
  async sendText(api, receiver, content) {
    const body = { touser: receiver, agentid: agentNumber(api.app.agent), msgtype: 'text', text: { content } }
    await api.callAsApp({ path: '/cgi-bin/message/send', body })
  },
}
