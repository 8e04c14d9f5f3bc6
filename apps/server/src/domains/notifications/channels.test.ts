import { expect, test } from 'vitest'
import { channelNames, isReachable } from './channels.ts'

const channelsWith = (email: string, wecom_id: string | null = null) => {
  const person = { email, wecom_id, dingtalk_id: null, feishu_id: null }
  return channelNames.filter((channel) => isReachable(person, channel)).toSorted()
}

test('a person is reached where they have an address; a service identity has none for mail', () => {
  expect(channelsWith('ann@example.com')).toEqual(['email', 'site_msg', 'slack', 'teams'])
  expect(channelsWith('ann', 'ann')).toEqual(['site_msg', 'wecom'])
  expect(channelsWith('svc.deploy@service.invalid')).toEqual(['site_msg'])
})
