import { PERMISSION } from '@sallyport/contract/access.ts'
import { msg } from '../../lib/i18n.ts'
import { places } from '../../navigation/page-place.ts'
import { ListTabs, type TabbedList } from '../ListTabs.tsx'
import type { PageProps } from '../page-props.ts'
import { commandStoragePages } from './command-storage.page.tsx'
import { recordingMovePages } from './recording-move.page.tsx'
import { replayStoragePages } from './replay-storage.page.tsx'

export const routes = places({
  name: 'StorageList',
  menu: 'terminal',
  title: msg('Storages'),
  path: '/terminal/storages',
  bits: PERMISSION.super,
  hidden: true,
  active: '/terminal/terminal',
})

const LISTS: readonly TabbedList[] = [
  { name: 'ReplayStorage', title: msg('Replay storage'), pages: replayStoragePages, base: 'ReplayStorage' },
  { name: 'CommandStorage', title: msg('Command storage'), pages: commandStoragePages, base: 'CommandStorage' },
  { name: 'RecordingMove', title: msg('Recording migrations'), pages: recordingMovePages, base: 'RecordingMove' },
]

/** Where recordings and commands are stored (A2.42). */
export function StorageList({ title }: PageProps) {
  return <ListTabs title={title} lists={LISTS} />
}

export const pages = { StorageList }
