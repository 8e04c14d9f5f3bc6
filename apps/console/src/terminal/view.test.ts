import { expect, test } from 'vitest'
import { viewOf } from './view.ts'

test('[A2.67] the addresses of the web terminal lead to their pages', () => {
  expect(viewOf('/luna/', '')).toEqual({
    name: 'main',
    loginTo: null,
    family: 'asset',
    systemUser: null,
  })
  expect(viewOf('/luna/', '?login_to=a1&system_user=s1')).toEqual({
    name: 'main',
    loginTo: 'a1',
    family: 'asset',
    systemUser: 's1',
  })
  expect(viewOf('/luna/connect', '?login_to=a1&type=asset')).toEqual({
    name: 'single',
    loginTo: 'a1',
    family: 'asset',
    systemUser: null,
  })
  for (const address of ['?login_to=d1&type=database_app', '?database_app=d1'])
    expect(viewOf('/luna/connect', address)).toMatchObject({ name: 'single', loginTo: 'd1', family: 'application' })
  expect(viewOf('/luna/replay/s1', '')).toEqual({ name: 'replay', sessionId: 's1' })
  expect(viewOf('/luna/monitor/s1/', '')).toEqual({ name: 'monitor', sessionId: 's1', ticketId: null })
  expect(viewOf('/luna/monitor/s1', '?ticket=t1')).toEqual({ name: 'monitor', sessionId: 's1', ticketId: 't1' })
  expect(viewOf('/luna/undefined', '')).toEqual({ name: 'blank' })
})

test('[A2.67] the gateway’s own pages are understood too', () => {
  expect(viewOf('/koko/terminal/', '?target_id=a1&type=ssh&system_user_id=s1&_=1')).toEqual({
    name: 'direct',
    targetId: 'a1',
    protocol: 'ssh',
    systemUserId: 's1',
  })
  const container = '?target_id=c1&type=k8s&system_user_id=s1&namespace=shop&pod=web-1&container=app'
  expect(viewOf('/koko/terminal/', container)).toMatchObject({
    name: 'direct',
    place: { namespace: 'shop', pod: 'web-1', container: 'app' },
  })
  expect(viewOf('/koko/terminal/', '?target_id=a1')).toEqual({ name: 'nothing' })
  expect(viewOf('/koko/token/', '?target_id=t1&type=token&_=1')).toEqual({ name: 'token', token: 't1' })
  expect(viewOf('/luna/connect', '?token=t1')).toEqual({ name: 'token', token: 't1' })
  const workbench = { name: 'token', token: 't1', view: 'workbench' }
  expect(viewOf('/luna/connect', '?token=t1&protocol=mysql')).toEqual(workbench)
  expect(viewOf('/luna/connect', '?token=t1&protocol=redis')).toEqual({ ...workbench, view: 'keys' })
  expect(viewOf('/luna/connect', '?token=t1&protocol=k8s&view=workbench')).toEqual({ ...workbench, view: 'cluster' })
  expect(viewOf('/luna/connect', '?token=t1&protocol=k8s')).toEqual({ name: 'token', token: 't1' })
  expect(viewOf('/koko/token/', '?target_id=t1&view=workbench')).toEqual(workbench)
  expect(viewOf('/koko/monitor/s1/', '')).toEqual({ name: 'monitor', sessionId: 's1', ticketId: null })
})

test('the graphical gateway’s pages are understood: by target, by token, and to watch', () => {
  const direct = { name: 'direct', targetId: 'a1', systemUserId: 's1' }
  expect(viewOf('/lion/', '?target_id=a1&type=rdp&system_user_id=s1')).toEqual({ ...direct, protocol: 'rdp' })
  expect(viewOf('/lion/', '?target_id=a1&type=vnc&system_user_id=s1')).toEqual({ ...direct, protocol: 'vnc' })
  expect(viewOf('/lion/', '?target_id=a1&type=remoteapp&system_user_id=s1')).toEqual({
    ...direct,
    protocol: 'rdp',
    family: 'application',
  })
  expect(viewOf('/lion/', '?token=t1')).toEqual({ name: 'token', token: 't1', view: 'desktop' })
  expect(viewOf('/lion/monitor/', '?session=s1')).toEqual({ name: 'monitor', sessionId: 's1', ticketId: null })
  for (const nothing of ['/lion/', '/lion/monitor/']) expect(viewOf(nothing, '?type=rdp')).toEqual({ name: 'nothing' })
  expect(viewOf('/core/download/', '')).toEqual({ name: 'download' })
})

test('[A2.40 A2.67] the file manager is at its address, with or without an asset', () => {
  expect(viewOf('/koko/elfinder/sftp/', '?')).toEqual({ name: 'files', assetId: null })
  expect(viewOf('/koko/elfinder/sftp/a1/', '?_=1')).toEqual({ name: 'files', assetId: 'a1' })
  expect(viewOf('/koko/elfinder/', '')).toEqual({ name: 'nothing' })
})

test('[A2.67] the link of a shared session opens the page that asks for its code, unless the address has it', () => {
  expect(viewOf('/koko/share/s1/', '')).toEqual({ name: 'join', shareId: 's1', code: null })
  expect(viewOf('/koko/share/s1/', '?code=a1b2')).toEqual({ name: 'join', shareId: 's1', code: 'a1b2' })
})
