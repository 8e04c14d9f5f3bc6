import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import { makeReview, makeSuggestions } from '../domains/reviews/index.ts'
import type { ReadContext } from '../kernel/resource/mount.ts'
import { ensure, idsBy, namesIn } from './rows.ts'

const DAY_MS = 86_400_000
const daysAgo = (days: number) => Math.floor((Date.now() - days * DAY_MS) / 1000)
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

const IDLE_PERSON = 'out.ines.costa'
/** Asset permissions under the review that has ended. */
const REVIEWED = ['Factory for contractors 外包', 'Developers: staging and test']

/** A review that has ended, one that is open with some decisions, and suggestions of the coach. */
export async function seedReviews(context: ReadContext): Promise<void> {
  const permissions = await idsBy(context, 'asset_permission', 'name')
  await makeReview(context, {
    draft: {
      name: 'Contractors, autumn 外包人员秋季复核',
      asset_permissions: namesIn(permissions)(REVIEWED),
      date_end: inDays(7),
      undecided: 'keep',
      comment: 'Before the contracts are renewed',
    },
    decisions: [{ verdict: 'confirm' }, { verdict: 'confirm', comment: '合同延长至明年三月' }],
    isEnded: true,
  })
  await makeReview(context, {
    draft: { name: 'All access, fourth quarter 第四季度复核', date_end: inDays(11), undecided: 'keep', months: 3 },
    decisions: [
      { verdict: 'confirm', comment: 'On call until the end of the year' },
      null,
      { verdict: 'confirm' },
      { verdict: 'confirm', comment: '数据库值班' },
    ],
    isEnded: false,
  })
  await suggest(context, permissions)
  await ensure(context, 'scim_provider', 'name', {
    name: 'Company directory 企业目录',
    ip_group: ['10.50.0.0/16'],
    comment: 'Keeps the people of the offices; its token is in the vault',
  })
}

const PERMISSIONS = '/api/v1/perms/asset-permissions/'

async function suggest(context: ReadContext, permissions: ReadonlyMap<string, string>): Promise<void> {
  const people = await idsBy(context, 'user', 'username')
  const ofPermission = (name: string, body: object) => {
    const [id = ''] = namesIn(permissions)([name])
    const change = { resource: 'asset_permission' as const, path: PERMISSIONS, id, body: { ...body } }
    return { object_type: 'asset_permission', object_id: id, object_name: name, change }
  }
  const [person = ''] = namesIn(people)([IDLE_PERSON])
  await makeSuggestions(context, [
    {
      kind: 'unused_permission',
      ...ofPermission('Network gear', { is_active: false }),
      facts: { last_use: daysAgo(131), date_created: daysAgo(412) },
    },
    {
      kind: 'unused_action',
      ...ofPermission('Databases', { mask: ACTION_BITS.connect | ACTION_BITS.clipboard_copy_paste }),
      facts: { actions: ACTION_BITS.updownload, uses: 48, last_use: daysAgo(1) },
    },
    {
      kind: 'used_for_a_while',
      ...ofPermission('Office desktops', { days: 7 }),
      facts: { first_use: daysAgo(62), last_use: daysAgo(55), uses: 9 },
    },
    {
      kind: 'idle_person',
      object_type: 'user',
      object_id: person,
      object_name: IDLE_PERSON,
      facts: { last_seen: daysAgo(148), date_joined: daysAgo(530) },
      change: { resource: 'user', path: '/api/v1/users/users/', id: person, body: { is_active: false } },
    },
  ])
}
