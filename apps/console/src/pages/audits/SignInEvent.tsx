import type { LoginLog } from '@sallyport/contract/resources/audits/login-log.ts'
import { session } from '@sallyport/contract/resources/terminal/session.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Moment } from '../../generic/detail/Moment.tsx'
import { Name, Sentence } from '../../generic/detail/Sentence.tsx'
import { api, type ListPage } from '../../lib/api.ts'
import { parseDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import { addressOf } from '../../navigation/routes.ts'
import { EventCell, EventFacts } from './EventCell.tsx'

const MFA_ON = 1
/** Sessions that are named; the others are a link away. */
const SHOWN_SESSIONS = 5

/** A sign-in, or a rejected one and its reason. */
export function SignInEvent({ row }: { row: LoginLog }) {
  const { text, reason } = wordsOf(row)
  return (
    <EventCell title={<Sentence text={text} parts={{ who: row.username }} />} detail={() => <SignInDetail row={row} />}>
      <Sentence text={text} parts={{ who: <b>{row.username}</b> }} />
      {reason && <span className="quiet">{t(': {{changes}}', { changes: reason })}</span>}
    </EventCell>
  )
}

/** The sentence, its place still empty, and what is behind it: how it was proven, or why it was refused. */
function wordsOf(row: LoginLog): { text: string; reason: string } {
  const isSuccess = isSuccessful(row)
  if (!isSuccess)
    return {
      text: row.username ? t('The sign-in of {{who}} was rejected') : t('Sign-in rejected'),
      reason: row.reason_display ?? '',
    }
  return {
    text: t('{{who}} signed in'),
    reason: [row.backend_display, ...secondFactor(row)].filter(Boolean).join(' + '),
  }
}

// A boolean on the wire although it is offered as a choice.
const isSuccessful = ({ status }: LoginLog) => (status as unknown) === true
const secondFactor = ({ mfa }: LoginLog) => (Number(mfa) === MFA_ON ? [t('MFA')] : [])

function SignInDetail({ row }: { row: LoginLog }) {
  const isSuccess = isSuccessful(row)
  const program = [row.browser, row.system].filter(Boolean).join(' · ') || row.user_agent
  return (
    <>
      <EventFacts
        facts={[
          ['datetime', t('When'), <Moment key="datetime" value={row.datetime} />],
          [
            'username',
            t('Who@@event'),
            row.username && (
              <Name
                key="username"
                thing={{
                  words: row.username,
                  address: row.user_id ? addressOf('UserDetail', { id: row.user_id }) : undefined,
                }}
              />
            ),
          ],
          ['result', t('Result'), isSuccess ? t('Success@@sign-in') : row.reason_display],
          ['backend', t('Verified with'), [row.backend_display, ...secondFactor(row)].filter(Boolean).join(' + ')],
          ['type', t('Via@@event'), row.type_display],
          ['ip', t('From@@event'), row.city ? `${row.ip} (${row.city})` : row.ip],
          ['program', t('Program'), program && <span title={row.user_agent ?? ''}>{program}</span>],
        ]}
      />
      {isSuccess && <WhatFollowed row={row} />}
    </>
  )
}

/** The sessions opened with a sign-in, by name, and the way to whatever else was done with it. */
function WhatFollowed({ row: { id, datetime } }: { row: LoginLog }) {
  const { data } = useQuery({
    queryKey: [session.path, 'of-sign-in', id],
    queryFn: ({ signal }) =>
      api.get<ListPage<{ id: string; user: string; asset: string }>>(session.path, {
        query: { sign_in_id: id, limit: SHOWN_SESSIONS, offset: 0 },
        signal,
        quiet: true,
      }),
  })
  const rest = (data?.count ?? 0) - (data?.results.length ?? 0)
  const since = parseDate(datetime)
  const query = new URLSearchParams({ sign_in_id: id, ...(since ? { date_from: since.toISOString() } : {}) })
  const lists = [
    { page: 'OperateLog', words: t('Changes@@event') },
    { page: 'FtpLog', words: t('Transferred files') },
  ].flatMap(({ page, words }) => (addressOf(page) ? [{ words, address: `${addressOf(page)}?${query}` }] : []))
  return (
    <EventFacts
      facts={[
        [
          'sessions',
          t('Sessions'),
          data && (
            <ul className="plain-list">
              {data.results.map((one) => (
                <li key={one.id}>
                  <Name
                    thing={{
                      words: `${nameOf(one.user)} → ${nameOf(one.asset)}`,
                      address: addressOf('SessionDetail', { id: one.id }),
                    }}
                  />
                </li>
              ))}
              {rest > 0 && <li className="quiet">{t('{{count}} more', { count: rest })}</li>}
              {data.count === 0 && <li className="quiet">{t('None')}</li>}
            </ul>
          ),
        ],
        [
          'more',
          t('During this sign-in'),
          lists.length > 0 && (
            <ul className="plain-list">
              {lists.map(({ words, address }) => (
                <li key={words}>
                  <Link to={address}>{words}</Link>
                </li>
              ))}
            </ul>
          ),
        ],
      ]}
    />
  )
}
