/**
 * WeCom, DingTalk and FeiShu as far as we call them, on a free port of this machine. They refuse
 * wrong secrets, used codes, expired tokens, malformed requests and unknown receivers, with their
 * own error numbers.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MessengerName } from './messenger.ts'

export interface TakenMessage {
  to: string[]
  type: string
  text: string
  /** Labels and addresses of the buttons of a card. */
  buttons?: [string, string][]
}

export interface MessengerServer {
  /** Environment variables that point a Sallyport server here. */
  environment: Record<string, string>
  /** Settings of an application that it knows, enabled. */
  settings: Record<MessengerName, Record<string, unknown>>
  /** Ids of the company's people, by messenger. */
  people: Record<MessengerName, Set<string>>
  /** Departments by their ids, and in which ones people are; of all messengers alike. */
  departments: Map<number, { name: string; parent: number }>
  memberships: Map<string, number[]>
  messages: Record<MessengerName, TakenMessage[]>
  /** New contents of cards of FeiShu that were changed later. */
  changes: Pick<TakenMessage, 'text' | 'buttons'>[]
  /** Calls that were answered, as `GET /wecom/cgi-bin/gettoken`. */
  calls: string[]
  /**
   * Scans the QR code of a page, as `person`, who may belong to another company; answers where the
   * browser is sent back to.
   */
  scan(page: string, person: string): string
  /** Revokes its tokens early. */
  lapseTokens(name: MessengerName): void
  /** The server's answer instead: a status, or that a messenger is busy. */
  failure: { status?: number; busy?: MessengerName }
  close(): Promise<void>
}

const APPS = {
  wecom: { id: 'ww-corp', agent: '1000002', secret: 'wecom-Secret-1' },
  dingtalk: { id: 'ding-key', agent: '123456789', secret: 'dingtalk-Secret-1' },
  feishu: { id: 'cli_feishu', agent: '', secret: 'feishu-Secret-1' },
} as const
/** Outside contacts of DingTalk have a userid too. */
export const OUTSIDE_CONTACT = 'outside-contact'
const TOKEN_SECONDS = 7200
const CLOCK_MS = 60_000

type Reply = Record<string, unknown>
interface Request {
  method: string
  path: string
  query: URLSearchParams
  body: Reply
  bearer: string
}

export async function startMessengerServer(): Promise<MessengerServer> {
  const people = { wecom: new Set<string>(), dingtalk: new Set<string>(), feishu: new Set<string>() }
  const messages: MessengerServer['messages'] = { wecom: [], dingtalk: [], feishu: [] }
  const departments: MessengerServer['departments'] = new Map()
  const memberships: MessengerServer['memberships'] = new Map()
  const codes = new Map<string, { name: MessengerName; person: string }>()
  const tokens = new Map<string, MessengerName>()
  const lapsed = new Set<string>()
  const calls: string[] = []
  const changes: MessengerServer['changes'] = []
  const changeable = new Set<string>()
  const failure: MessengerServer['failure'] = {}

  const newToken = (name: MessengerName) => {
    const token = `${name}-${randomUUID()}`
    tokens.set(token, name)
    return token
  }
  const takeCode = (name: MessengerName, code: unknown) => {
    const found = codes.get(String(code))
    codes.delete(String(code))
    return found?.name === name ? found.person : undefined
  }

  const wecom = ({ method, path, query, body }: Request): Reply => {
    if (path === '/cgi-bin/gettoken') {
      if (query.get('corpid') !== APPS.wecom.id) return { errcode: 40013, errmsg: 'invalid corpid' }
      if (query.get('corpsecret') !== APPS.wecom.secret)
        return { errcode: 40001, errmsg: `invalid credential ${query.get('corpsecret')}` }
      return { errcode: 0, errmsg: 'ok', access_token: newToken('wecom'), expires_in: TOKEN_SECONDS }
    }
    const token = query.get('access_token') ?? ''
    if (lapsed.has(token)) return { errcode: 42001, errmsg: 'access_token expired' }
    if (tokens.get(token) !== 'wecom') return { errcode: 40014, errmsg: 'invalid access_token' }
    if (path === '/cgi-bin/auth/getuserinfo' && method === 'GET') {
      const person = takeCode('wecom', query.get('code'))
      if (person === undefined) return { errcode: 40029, errmsg: 'invalid code' }
      return people.wecom.has(person)
        ? { errcode: 0, errmsg: 'ok', userid: person }
        : { errcode: 0, errmsg: 'ok', openid: `o-${person}` }
    }
    if (path === '/cgi-bin/user/get' && method === 'GET') {
      const userid = query.get('userid') ?? ''
      if (!people.wecom.has(userid)) return { errcode: 60111, errmsg: 'userid not found' }
      return { errcode: 0, errmsg: 'ok', userid, department: memberships.get(userid) ?? [1] }
    }
    if (path === '/cgi-bin/department/get' && method === 'GET') {
      const id = Number(query.get('id'))
      const found = departments.get(id)
      if (!found) return { errcode: 60003, errmsg: 'department not found' }
      return { errcode: 0, errmsg: 'ok', department: { id, name: found.name, parentid: found.parent, order: 1 } }
    }
    if (path === '/cgi-bin/message/send' && method === 'POST') {
      if (failure.busy === 'wecom') return { errcode: -1, errmsg: 'system busy' }
      if (body.agentid !== Number(APPS.wecom.agent)) return { errcode: 40056, errmsg: 'invalid agentid' }
      const to = String(body.touser).split('|')
      const known = to.filter((id) => people.wecom.has(id))
      if (!known.length) return { errcode: 81013, errmsg: 'user & party & tag all invalid' }
      if (body.msgtype === 'template_card') {
        const card = body.template_card as Reply
        const jumps = (card.jump_list ?? []) as { type: number; title: string; url: string }[]
        const fine =
          card.card_type === 'text_notice' && (card.card_action as Reply | undefined)?.url && jumps.length <= 3
        if (!fine || !jumps.every(({ type, title, url }) => type === 1 && title && url))
          return { errcode: 42045, errmsg: 'Template_Card jump_list/card_action invalid' }
        const lines = (card.horizontal_content_list ?? []) as { keyname: string; value: string }[]
        const text = [
          (card.main_title as Reply).title,
          card.sub_title_text,
          ...lines.map((line) => `${line.keyname}: ${line.value}`),
        ]
        messages.wecom.push({
          to: known,
          type: 'template_card',
          text: text.join('\n'),
          buttons: jumps.map(({ title, url }) => [title, url]),
        })
        return { errcode: 0, errmsg: 'ok', msgid: randomUUID() }
      }
      const content = String((body[String(body.msgtype)] as Reply | undefined)?.content ?? '')
      if (!content || Buffer.byteLength(content) > 2048) return { errcode: 44004, errmsg: 'content size out of limit' }
      messages.wecom.push({ to: known, type: String(body.msgtype), text: content })
      return {
        errcode: 0,
        errmsg: 'ok',
        msgid: randomUUID(),
        invaliduser: to.filter((id) => !known.includes(id)).join('|'),
      }
    }
    return { errcode: 404, errmsg: 'no such call' }
  }

  const dingtalk = ({ method, path, query, body }: Request): Reply => {
    if (path === '/gettoken') {
      if (query.get('appkey') !== APPS.dingtalk.id || query.get('appsecret') !== APPS.dingtalk.secret)
        return { errcode: 40089, errmsg: '不合法的corpid或corpsecret' }
      return { errcode: 0, errmsg: 'ok', access_token: newToken('dingtalk'), expires_in: TOKEN_SECONDS }
    }
    if (path === '/sns/getuserinfo_bycode' && method === 'POST') {
      const timestamp = query.get('timestamp') ?? ''
      if (query.get('accessKey') !== APPS.dingtalk.id) return { errcode: 853003, errmsg: 'accessKey invalid' }
      if (!(Math.abs(Number(timestamp) - Date.now()) < CLOCK_MS))
        return { errcode: 853002, errmsg: 'timestamp invalid' }
      if (query.get('signature') !== createHmac('sha256', APPS.dingtalk.secret).update(timestamp).digest('base64'))
        return { errcode: 853004, errmsg: 'signature invalid' }
      const person = takeCode('dingtalk', body.tmp_auth_code)
      if (person === undefined) return { errcode: 40078, errmsg: '不存在的临时授权码' }
      return { errcode: 0, errmsg: 'ok', user_info: { nick: person, openid: `o-${person}`, unionid: `u-${person}` } }
    }
    const token = query.get('access_token') ?? ''
    if (lapsed.has(token) || tokens.get(token) !== 'dingtalk') return { errcode: 40014, errmsg: '不合法的access_token' }
    if (path === '/topapi/user/getbyunionid' && method === 'POST') {
      const person = String(body.unionid).slice(2)
      if (person === OUTSIDE_CONTACT) return { errcode: 0, errmsg: 'ok', result: { contact_type: 1, userid: person } }
      if (!people.dingtalk.has(person)) return { errcode: 60121, errmsg: '找不到该用户' }
      return { errcode: 0, errmsg: 'ok', result: { contact_type: 0, userid: person } }
    }
    if (path === '/topapi/v2/user/get' && method === 'POST') {
      const userid = String(body.userid)
      if (!people.dingtalk.has(userid)) return { errcode: 60121, errmsg: '找不到该用户' }
      return { errcode: 0, errmsg: 'ok', result: { userid, dept_id_list: memberships.get(userid) ?? [1] } }
    }
    if (path === '/topapi/v2/department/get' && method === 'POST') {
      const found = departments.get(body.dept_id as number)
      if (!found) return { errcode: 60003, errmsg: '部门不存在' }
      return { errcode: 0, errmsg: 'ok', result: { dept_id: body.dept_id, name: found.name, parent_id: found.parent } }
    }
    if (path === '/topapi/message/corpconversation/asyncsend_v2' && method === 'POST') {
      if (failure.busy === 'dingtalk') return { errcode: 90018, errmsg: '系统繁忙' }
      if (body.agent_id !== Number(APPS.dingtalk.agent)) return { errcode: 40035, errmsg: '不合法的agent_id' }
      const to = String(body.userid_list).split(',')
      if (!to.every((id) => people.dingtalk.has(id))) return { errcode: 33012, errmsg: '无效的USERID' }
      const msg = body.msg as Reply
      const part = msg[String(msg.msgtype)] as Reply
      const buttons = (part.btn_json_list ?? []) as { title: string; action_url: string }[]
      if (msg.msgtype === 'action_card' && !buttons.every(({ title, action_url }) => title && action_url))
        return { errcode: 400005, errmsg: 'msg.action_card.btn_json_list is illegal' }
      messages.dingtalk.push({
        to,
        type: String(msg.msgtype),
        text: String(part.text ?? part.content ?? part.markdown),
        ...(buttons.length ? { buttons: buttons.map(({ title, action_url }) => [title, action_url]) } : {}),
      })
      return { errcode: 0, errmsg: 'ok', task_id: messages.dingtalk.length }
    }
    return { errcode: 404, errmsg: 'no such call' }
  }

  const feishu = ({ method, path, query, body, bearer }: Request): Reply => {
    if (path === '/open-apis/auth/v3/tenant_access_token/internal' && method === 'POST') {
      if (body.app_id !== APPS.feishu.id) return { code: 10003, msg: 'invalid param' }
      if (body.app_secret !== APPS.feishu.secret) return { code: 10014, msg: 'app secret invalid' }
      return { code: 0, msg: 'ok', tenant_access_token: newToken('feishu'), expire: TOKEN_SECONDS }
    }
    if (lapsed.has(bearer) || tokens.get(bearer) !== 'feishu')
      return { code: 99991663, msg: 'Invalid access token for authorization.' }
    if (path === '/open-apis/authen/v1/access_token' && method === 'POST') {
      const person = body.grant_type === 'authorization_code' ? takeCode('feishu', body.code) : undefined
      if (person === undefined) return { code: 20003, msg: 'code is invalid' }
      return {
        code: 0,
        msg: 'success',
        data: { open_id: `ou_${person}`, ...(people.feishu.has(person) ? { user_id: person } : {}) },
      }
    }
    const openId = (id: number) => (id === 1 ? '0' : `od-${id}`)
    const [, kind, id = ''] = /^\/open-apis\/contact\/v3\/(users|departments)\/([\w-]+)$/.exec(path) ?? []
    if (kind && query.get('department_id_type') !== 'open_department_id') return { code: 40001, msg: 'param error' }
    if (kind === 'users' && query.get('user_id_type') === 'user_id') {
      if (!people.feishu.has(id)) return { code: 41012, msg: 'user id invalid error' }
      const department_ids = (memberships.get(id) ?? [1]).map(openId)
      return {
        code: 0,
        msg: 'success',
        data: { user: { user_id: id, department_ids, status: { is_resigned: false } } },
      }
    }
    if (kind === 'departments') {
      const found = departments.get(Number(id.replace(/^od-/, '')))
      if (!found) return { code: 43000, msg: 'dept not found' }
      const department = { name: found.name, open_department_id: id, parent_department_id: openId(found.parent) }
      return { code: 0, msg: 'success', data: { department } }
    }
    if (path === '/open-apis/im/v1/messages' && method === 'POST') {
      if (failure.busy === 'feishu') return { code: 99991400, msg: 'request trigger frequency limit' }
      const id = String(body.receive_id)
      if (query.get('receive_id_type') !== 'user_id' || !people.feishu.has(id))
        return { code: 230001, msg: 'invalid receive_id' }
      const content = JSON.parse(String(body.content)) as Reply
      const message_id = randomUUID()
      if (body.msg_type === 'interactive' && (content as { config?: { update_multi?: boolean } }).config?.update_multi)
        changeable.add(message_id)
      messages.feishu.push({
        to: [id],
        type: String(body.msg_type),
        ...(body.msg_type === 'interactive' ? cardIn(content) : { text: String(content.text) }),
      })
      return { code: 0, msg: 'success', data: { message_id } }
    }
    const [, changed] = /^\/open-apis\/im\/v1\/messages\/([\w-]+)$/.exec(path) ?? []
    if (changed && method === 'PATCH') {
      // Cards that are the same for everybody alone can be changed.
      if (!changeable.has(changed)) return { code: 230001, msg: 'NOT a shared card' }
      changes.push(cardIn(JSON.parse(String(body.content)) as Reply))
      return { code: 0, msg: 'success', data: {} }
    }
    return { code: 404, msg: 'no such call' }
  }

  const services = { wecom, dingtalk, feishu }
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://here.invalid')
    const [, name = '', rest = ''] = /^\/(\w+)(\/.*)$/.exec(pathname) ?? []
    calls.push(`${request.method} ${pathname}`)
    response.setHeader('content-type', 'application/json')
    if (failure.status) return response.writeHead(failure.status).end('broken')
    if (!(name in services)) return response.writeHead(404).end('{}')
    const answer = services[name as MessengerName]({
      method: request.method ?? '',
      path: rest,
      query: searchParams,
      body: await bodyOf(request),
      bearer: /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '',
    })
    // FeiShu reports errors by the HTTP status as well.
    response.writeHead(Number(answer.code) > 0 ? 400 : 200).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    environment: {
      SALLYPORT_SETTING_WECOM_API_URL: `${url}/wecom`,
      SALLYPORT_SETTING_WECOM_LOGIN_URL: `${url}/wecom-page/`,
      SALLYPORT_SETTING_DINGTALK_API_URL: `${url}/dingtalk`,
      SALLYPORT_SETTING_FEISHU_API_URL: `${url}/feishu`,
    },
    settings: {
      wecom: {
        AUTH_WECOM: true,
        WECOM_CORPID: APPS.wecom.id,
        WECOM_AGENTID: APPS.wecom.agent,
        WECOM_SECRET: APPS.wecom.secret,
      },
      dingtalk: {
        AUTH_DINGTALK: true,
        DINGTALK_APPKEY: APPS.dingtalk.id,
        DINGTALK_AGENTID: APPS.dingtalk.agent,
        DINGTALK_APPSECRET: APPS.dingtalk.secret,
      },
      feishu: { AUTH_FEISHU: true, FEISHU_APP_ID: APPS.feishu.id, FEISHU_APP_SECRET: APPS.feishu.secret },
    },
    people,
    departments,
    memberships,
    messages,
    calls,
    changes,
    failure,
    scan(page, person) {
      const { origin, pathname, searchParams: asked } = new URL(page)
      const pages: Record<string, [MessengerName, Record<string, string>]> = {
        '/wecom-page/wwopen/sso/qrConnect': ['wecom', { appid: APPS.wecom.id, agentid: APPS.wecom.agent }],
        '/dingtalk/connect/qrconnect': [
          'dingtalk',
          { appid: APPS.dingtalk.id, response_type: 'code', scope: 'snsapi_login' },
        ],
        '/feishu/open-apis/authen/v1/index': ['feishu', { app_id: APPS.feishu.id }],
      }
      const [name, wanted] = pages[pathname] ?? []
      if (!name || origin !== url || Object.entries(wanted ?? {}).some(([key, value]) => asked.get(key) !== value))
        throw new Error(`the messenger knows no such page: ${page}`)
      const code = randomUUID()
      codes.set(code, { name, person })
      const back = new URL(asked.get('redirect_uri') ?? '')
      back.searchParams.set('code', code)
      back.searchParams.set('state', asked.get('state') ?? '')
      return back.href
    },
    lapseTokens(of) {
      for (const [token, name] of tokens) if (name === of) lapsed.add(token)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function bodyOf(request: IncomingMessage): Promise<Reply> {
  let text = ''
  for await (const piece of request) text += piece
  return text ? (JSON.parse(text) as Reply) : {}
}

interface CardElement {
  tag: string
  text?: { content: string }
  actions?: { text: { content: string }; url: string }[]
}

/** The text and the buttons of a card of FeiShu. */
function cardIn({ header, elements }: Reply): Pick<TakenMessage, 'text' | 'buttons'> {
  const parts = elements as CardElement[]
  const title = (header as { title: { content: string } }).title.content
  return {
    text: [title, ...parts.flatMap(({ text }) => (text ? [text.content] : []))].join('\n'),
    buttons: parts.flatMap(({ actions = [] }) => actions.map(({ text, url }): [string, string] => [text.content, url])),
  }
}
