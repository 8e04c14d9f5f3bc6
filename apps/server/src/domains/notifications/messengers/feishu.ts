import type { Api, Messenger } from './messenger.ts'
import { asPlainText, firstBytes, idIn } from './words.ts'

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
  receiversAtOnce: 1,
  send: (api, receivers, words) => sendTo(api, receivers, firstBytes(asPlainText(words), MAX_BYTES)),
  sendText: (api, receiver, text) => sendTo(api, [receiver], text),
}

async function sendTo(api: Api, receivers: readonly string[], text: string): Promise<void> {
  for (const receive_id of receivers)
    await api.callAsApp({
      path: '/open-apis/im/v1/messages',
      query: { receive_id_type: 'user_id' },
      body: { receive_id, msg_type: 'text', content: JSON.stringify({ text }) },
    })
}
