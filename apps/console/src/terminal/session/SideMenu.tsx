import { LockIcon, Share2Icon, TableIcon, UsersIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Named } from '../../design/Named.tsx'
import { Popover } from '../../design/popups/Popover.tsx'
import { tip } from '../../design/tip.ts'
import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { lazyDialog } from '../lazy-parts.tsx'
import type { MayShare, Room } from '../pane/room.ts'
import type { ShareRequest } from './ShareDialog.tsx'

const ShareDialog = lazyDialog(() => import('./ShareDialog.tsx').then((module) => module.ShareDialog))

export interface SharingToolsProps {
  room: Room
  /** The session has started, and sharing is on. */
  mayShare: MayShare
  onShare: (request: ShareRequest) => void
  /** The dialog was closed: the next link is a new one. */
  onShared: () => void
  onRemove?: (id: string) => void
  /** The person who has the keys and the pointer of a desktop; empty: the owner. */
  driver?: string
  onHandOver?: (id: string) => void
}

/** Sharing a session by a link, and who is in it. */
export function SharingTools({ room, mayShare, onShare, onShared, onRemove, driver, onHandOver }: SharingToolsProps) {
  const [sharing, setSharing] = useState(false)
  const { users, share } = room
  const close = () => {
    setSharing(false)
    onShared()
  }
  const list = (
    <ul className="wt-users">
      {users.map(({ id, user, created, remote_addr, primary, writable }) => (
        <li key={id}>
          <strong>
            <Named text={user} />
          </strong>
          <span>{formatDate(created)}</span>
          <span>{remote_addr}</span>
          {!primary && writable && onHandOver && (
            <Button size="small" onClick={() => onHandOver(driver === id ? '' : id)}>
              {driver === id ? t('Take control') : t('Give control')}
            </Button>
          )}
          {!primary && onRemove && (
            <Button size="small" danger onClick={() => onRemove(id)}>
              {t('Remove')}
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
  return (
    <>
      {mayShare && (
        <Button
          {...tip(t('Share'), 'before')}
          type="text"
          icon={<Share2Icon />}
          aria-label={t('Share')}
          onClick={() => setSharing(true)}
        />
      )}
      {users.length > 1 && (
        <Popover
          title={t('People in this session')}
          side="before"
          button={
            <Button type="text" icon={<UsersIcon />} aria-label={t('People in this session')}>
              {users.length}
            </Button>
          }
        >
          {list}
        </Popover>
      )}
      {sharing && (
        <ShareDialog share={share} isForEverybody={mayShare === 'everybody'} onShare={onShare} onClose={close} />
      )}
    </>
  )
}

export interface SideMenuProps extends SharingToolsProps {
  /** The page beside the prompt, and what it is called. */
  onWorkbench?: (() => void) | undefined
  workbench?: string
}

/**
 * What belongs to one terminal: sharing it, and who is in it (contract web-terminal, side_menu); and
 * why typing does nothing, as long as somebody keeps the input locked.
 */
export function SideMenu({ onWorkbench, workbench, ...sharing }: SideMenuProps) {
  const { room, mayShare } = sharing
  return (
    <>
      {room.isLocked && (
        <p className="wt-locked-line" role="status">
          <LockIcon aria-hidden="true" /> {t('The input of this session is locked.')}
        </p>
      )}
      {(mayShare || room.users.length > 1 || onWorkbench) && (
        <nav className="wt-side" aria-label={t('Session')}>
          {onWorkbench && (
            <Button
              {...tip(workbench, 'before')}
              type="text"
              icon={<TableIcon />}
              aria-label={workbench}
              onClick={onWorkbench}
            />
          )}
          <SharingTools {...sharing} />
        </nav>
      )}
    </>
  )
}
