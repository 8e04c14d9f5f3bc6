import './start.css'
import { HistoryIcon, StarIcon } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { Named } from '../../design/Named.tsx'
import { formatDate, formatRelative } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import { protocolName } from '../../lib/protocol-name.ts'
import type { Target } from '../assets/target.ts'
import type { ConnectOptions } from '../connect/use-connect.tsx'
import { type FavoriteAsset, type RecentTarget, readFavoriteAssets, readRecent } from './start-lists.ts'
import { TargetSearch } from './TargetSearch.tsx'

interface StartPageProps {
  /** Nothing at all is granted, as far as that is known. */
  isWithoutGrants: boolean
  /** Its search has the keyboard as soon as it is shown. */
  isFirst: boolean
  onConnect: (target: Target, options?: ConnectOptions) => void
}

/** The empty workspace: a search, where the person was last, and their favorites. */
export function StartPage({ isWithoutGrants, isFirst, onConnect }: StartPageProps) {
  const lists = useStartLists()
  if (isWithoutGrants)
    return (
      <p className="wt-welcome">
        {t('Terminals open here. As soon as an administrator grants you an asset, you find it on the left.')}
      </p>
    )
  return (
    <div className="wt-start">
      <TargetSearch isFirst={isFirst} onConnect={onConnect} />
      {lists && (
        <div className="wt-start-lists">
          {lists.recent.length > 0 && <Recent list={lists.recent} onConnect={onConnect} />}
          {lists.favorites.length > 0 && <Favorites list={lists.favorites} onConnect={onConnect} />}
        </div>
      )}
      {lists && lists.recent.length + lists.favorites.length === 0 && (
        <p className="wt-start-none">{t('Choose an asset on the left to open a terminal.')}</p>
      )}
    </div>
  )
}

/** Both lists, once they are known; one that can't be read is empty: the tree and the search are there. */
function useStartLists() {
  const [lists, setLists] = useState<{ recent: RecentTarget[]; favorites: FavoriteAsset[] }>()
  useEffect(() => {
    let isGone = false
    Promise.all([readRecent().catch(() => []), readFavoriteAssets().catch(() => [])]).then(([recent, favorites]) => {
      if (!isGone) setLists({ recent, favorites })
    })
    return () => {
      isGone = true
    }
  }, [])
  return lists
}

type ListProps<Row> = Pick<StartPageProps, 'onConnect'> & { list: readonly Row[] }

function Recent({ list, onConnect }: ListProps<RecentTarget>) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        <HistoryIcon aria-hidden="true" /> {t('Recent')}
      </h2>
      <ul>
        {list.map(({ target_family: family, target_id, asset, system_user_id, system_user, protocol, date_start }) => (
          <li key={`${family} ${target_id} ${system_user_id}`}>
            <button
              type="button"
              onClick={() =>
                onConnect(
                  { family, id: target_id, name: nameOf(asset), inactive: false },
                  { systemUser: system_user_id },
                )
              }
            >
              <strong>
                <Named text={asset} />
              </strong>
              <span>
                {nameOf(system_user)} · {protocolName(protocol)}
              </span>
              <time dateTime={date_start} title={formatDate(date_start)}>
                {formatRelative(date_start)}
              </time>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Favorites({ list, onConnect }: ListProps<FavoriteAsset>) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        <StarIcon aria-hidden="true" /> {t('Favorites')}
      </h2>
      <ul>
        {list.map(({ id: asset, hostname: name, ip, is_active }) => (
          <li key={asset}>
            <button type="button" onClick={() => onConnect({ family: 'asset', id: asset, name, inactive: !is_active })}>
              <strong>{name}</strong>
              <span>{is_active ? ip : t('Disabled')}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
