import {
  ArrowUpIcon,
  CopyIcon,
  DownloadIcon,
  EyeIcon,
  EyeOffIcon,
  FilePlusIcon,
  FolderOpenIcon,
  FolderPlusIcon,
  InfoIcon,
  PencilIcon,
  RefreshCwIcon,
  ScissorsIcon,
  Trash2Icon,
  UploadIcon,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../../../lib/i18n.ts'
import type { Entry } from '../folder/entries.ts'
import type { Listing } from '../folder/files-api.ts'
import { goesIntoItself } from '../transfer/copy-tree.ts'

/** A folder as the other pane needs to know it. */
export interface PaneContent {
  path: string
  listing: Listing | undefined
}

type Key =
  | 'up'
  | 'reload'
  | 'newFolder'
  | 'uploadFiles'
  | 'uploadFolder'
  | 'download'
  | 'open'
  | 'copy'
  | 'move'
  | 'rename'
  | 'remove'
  | 'details'
  | 'hidden'

export interface PaneAction {
  key: Key
  text: string
  icon: ReactNode
  /** Why it cannot be done now. */
  reason: string | undefined
  /** Also in the menu of files, of empty space, of both. */
  inMenu: 'file' | 'space' | 'both' | undefined
  danger?: boolean
  run: () => void
}

interface PaneActionsInput {
  here: PaneContent & { chosen: readonly Entry[] }
  other: PaneContent | undefined
  hidden: boolean
  run: Record<Key, () => void>
}

/**
 * All that can be done in a pane, with the reason where it can't: one list for buttons, menus and
 * keys.
 */
export function paneActions({ here, other, hidden, run }: PaneActionsInput): PaneAction[] {
  const { path, listing, chosen } = here
  const onMachine = listing?.is_machine ? undefined : t('Go to a machine first.')
  const mayWrite =
    onMachine ??
    (listing?.may_upload ? undefined : t('You have no permission to upload to this machine, or to change its files.'))
  const mayRead =
    onMachine ?? (listing?.may_download ? undefined : t('You have no permission to download from this machine.'))
  const some = chosen.length ? undefined : t('Select files first.')
  const one = chosen.length === 1 ? undefined : t('Select one file.')
  const sameFolder = other?.path === path ? t('Both panes show the same folder.') : undefined
  const intoItself =
    other && goesIntoItself(path, chosen, other.path) ? t('A folder cannot go into itself.') : undefined
  const mayWriteThere = other?.listing?.is_machine
    ? other.listing.may_upload
      ? undefined
      : t('You have no permission to upload to the machine in the other pane.')
    : t('Go to a machine in the other pane first.')
  const sameMachine =
    listing?.machine && listing.machine === other?.listing?.machine
      ? undefined
      : t('Files can be moved within one machine only. Copy them instead.')
  const action = (
    key: Key,
    text: string,
    icon: ReactNode,
    inMenu: PaneAction['inMenu'],
    reason?: string,
  ): PaneAction => ({
    key,
    text,
    icon,
    inMenu,
    reason,
    run: run[key],
  })
  return [
    action('up', t('Up'), <ArrowUpIcon />, undefined, path === '/' ? t('Already at the top level') : undefined),
    action('reload', t('Reload'), <RefreshCwIcon />, 'space'),
    action('open', t('Open'), <FolderOpenIcon />, 'file', one),
    action('newFolder', t('New folder'), <FolderPlusIcon />, 'space', mayWrite),
    action('uploadFiles', t('Upload files'), <UploadIcon />, 'space', mayWrite),
    action('uploadFolder', t('Upload a folder'), <FilePlusIcon />, 'space', mayWrite),
    action('download', t('Download'), <DownloadIcon />, 'file', mayRead ?? some),
    action(
      'copy',
      t('Copy to the other pane'),
      <CopyIcon />,
      'file',
      mayRead ?? some ?? mayWriteThere ?? sameFolder ?? intoItself,
    ),
    action(
      'move',
      t('Move to the other pane'),
      <ScissorsIcon />,
      'file',
      mayWrite ?? some ?? sameMachine ?? sameFolder ?? intoItself,
    ),
    action('rename', t('Rename'), <PencilIcon />, 'file', mayWrite ?? one),
    { ...action('remove', t('Delete'), <Trash2Icon />, 'file', mayWrite ?? some), danger: true },
    action('details', t('Details'), <InfoIcon />, 'file', onMachine ?? one),
    action(
      'hidden',
      hidden ? t('Hide hidden files') : t('Show hidden files'),
      hidden ? <EyeIcon /> : <EyeOffIcon />,
      'space',
      onMachine,
    ),
  ]
}
