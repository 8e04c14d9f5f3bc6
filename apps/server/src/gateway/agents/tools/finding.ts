import { ACTION_BITS, type ActionName } from '@sallyport/contract/actions.ts'
import { z } from 'zod'
import { line, page, pageFields, pageRows, picked, targetFields, targetQuery, tool } from './tool.ts'

/** Accounts in one answer. */
const ACCOUNTS_MAX = 100

const MACHINE = {
  id: 'id',
  name: 'hostname',
  address: 'ip',
  platform: 'platform',
  protocols: 'protocols',
  comment: 'comment',
  organization: 'org_name',
}
const APPLICATION = {
  id: 'id',
  name: 'name',
  category: 'category',
  type: 'type',
  comment: 'comment',
  organization: 'org_name',
}
const ACCOUNT = { id: 'id', name: 'name', username: 'username', protocol: 'protocol', actions: 'actions' }

export const findTargets = tool({
  name: 'find_targets',
  title: 'Find targets',
  does: 'Lists the machines, or the applications (databases, clusters), that you may connect to. Targets that are not granted are not in it: ask for those with request_access.',
  acts: false,
  input: z.strictObject({
    kind: targetFields.kind,
    search: line(128).default('').describe('Part of a name, an address or a comment'),
    ...pageFields,
  }),
  asks: pageRows,
  async work({ ask }, { kind, search, limit, offset }) {
    const isMachine = kind === 'machine'
    const found = await ask(isMachine ? 'machines' : 'applications', { query: { search, limit, offset } })
    return page(found, isMachine ? MACHINE : APPLICATION)
  },
})

export const listAccounts = tool({
  name: 'list_accounts',
  title: 'List accounts',
  does: 'Lists the accounts by which you may work on a target, and the actions that each allows. It answers no passwords or keys: you never need one.',
  acts: false,
  input: z.strictObject(targetFields),
  asks: () => ACCOUNTS_MAX,
  async work({ ask }, { target, kind }) {
    const isMachine = kind === 'machine'
    const rows = await ask(isMachine ? 'accountsOfMachine' : 'accountsOfApplication', {
      in: isMachine ? { asset_id: target } : { application_id: target },
    })
    const accounts = (rows as Record<string, unknown>[]).slice(0, ACCOUNTS_MAX).map((row) => picked(row, ACCOUNT))
    return { data: { accounts }, rows: accounts.length }
  },
})

export const explainAccess = tool({
  name: 'explain_access',
  title: 'Explain access',
  does: 'Says whether you may work on a target now, why not, and whether a request for access would help. Opens nothing.',
  acts: false,
  input: z.strictObject({
    ...targetFields,
    account: z.guid().optional().describe('Id of an account, as list_accounts answers it'),
    action: z.enum(Object.keys(ACTION_BITS) as [ActionName, ...ActionName[]]).default('connect'),
  }),
  async work({ ask }, { account, action, ...target }) {
    const query = { ...targetQuery(target), system_user_id: account, action }
    return { data: await ask('explanation', { query }), rows: 1 }
  },
})
