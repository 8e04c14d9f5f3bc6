import type { TargetFamily } from '@sallyport/contract/target.ts'
import { type ReactNode, useCallback, useState } from 'react'
import { showAlert } from '../../design/dialogs/feedback.tsx'
import { api, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import type { Target } from '../assets/target.ts'
import { lazyDialog } from '../lazy-parts.tsx'
import { DESKTOP_PROTOCOLS, WORKBENCH_PROTOCOLS } from '../text-protocols.ts'
import type { Viewer } from '../viewer.ts'
import type { ConnectAnswer } from './ConnectDialog.tsx'
import { connectMemory, forgetAutomatic, rememberConnect } from './connect-memory.ts'
import { type ConnectType, connectTypes, keepUsualType, usualType } from './connect-types.ts'
import type { Connection } from './connection.ts'
import { openByClient } from './native-client.tsx'
import { decide, type SystemUser } from './system-user-choice.ts'

const ConnectDialog = lazyDialog(() => import('./ConnectDialog.tsx').then((module) => module.ConnectDialog))

/** Where every connection is to be shown in this page. */
const HERE: readonly ConnectType[] = ['web']

export interface ConnectOptions {
  /** Preselected system user. */
  systemUser?: string | null
  /** Ask even where an earlier choice was to be repeated. */
  ask?: boolean
  /** Opens a workbench, if it is a database that has one. */
  view?: 'workbench' | undefined
}

/** What differs by what is connected to. */
const FAMILIES: Readonly<Record<TargetFamily, { paths: string; nothing: () => string }>> = {
  asset: { paths: 'assets', nothing: () => t('No system user is granted to you for this asset.') },
  application: { paths: 'applications', nothing: () => t('No system user is granted to you for this application.') },
}

interface Question {
  target: Target
  view: ConnectOptions['view']
  choices: SystemUser[]
  preselected: SystemUser
}

/**
 * The flow from a target to a connection: refuse, connect at once, or ask (contract web-terminal,
 * flows.connect_asset). `staysHere`: no client of the person's own is offered.
 */
export function useConnect(
  { profile, settings }: Viewer,
  onConnect: (connection: Connection) => void,
  staysHere = false,
): { connect: (target: Target, options?: ConnectOptions) => Promise<void>; dialog: ReactNode } {
  const [question, setQuestion] = useState<Question>()
  const typesFor = useCallback(
    (systemUser: SystemUser) => (staysHere ? HERE : connectTypes(systemUser, settings)),
    [staysHere, settings],
  )

  const open = useCallback(
    (target: Target, systemUser: SystemUser, view: ConnectOptions['view'], type: ConnectType) => {
      if (type !== 'web')
        return void openByClient(type, target, systemUser.id).catch((error: unknown) => showAlert(errorText(error)))
      onConnect({
        targetId: target.id,
        targetName: target.name,
        systemUserId: systemUser.id,
        systemUserName: systemUser.name,
        protocol: systemUser.protocol,
        // A remote app is reached by the protocol of the machine that it runs on.
        ...(target.family === 'application' && DESKTOP_PROTOCOLS.includes(systemUser.protocol)
          ? { family: target.family }
          : {}),
        ...(WORKBENCH_PROTOCOLS.includes(systemUser.protocol) ? { view } : {}),
      })
    },
    [onConnect],
  )

  const connect = useCallback(
    async (target: Target, options: ConnectOptions = {}): Promise<void> => {
      const { paths, nothing } = FAMILIES[target.family]
      if (target.inactive) return showAlert(t('This asset is disabled. Ask an administrator to enable it.'))
      if (options.ask) forgetAutomatic(profile.id, target.id)
      let granted: SystemUser[]
      try {
        granted = await api.get<SystemUser[]>(
          `/api/v1/perms/users/${paths}/${encodeURIComponent(target.id)}/system-users/`,
          { quiet: true },
        )
      } catch (error) {
        return showAlert(errorText(error))
      }
      const { automatic, automaticType = 'web', lastUsed } = connectMemory(profile.id, target.id)
      const isSettled = (systemUser: SystemUser) => {
        const types = typesFor(systemUser)
        return types.length === 1 || (systemUser.id === automatic && types.includes(automaticType))
      }
      const decision = decide({ granted, wanted: options.systemUser, remembered: automatic, lastUsed, isSettled })
      if (decision.kind === 'none') showAlert(nothing())
      else if (decision.kind === 'unsupported')
        showAlert(t('This kind of connection is not supported. Ask an administrator.'))
      else if (decision.kind === 'connect') {
        const { systemUser } = decision
        const isAutomatic = systemUser.id === automatic && typesFor(systemUser).includes(automaticType)
        open(target, systemUser, options.view, isAutomatic ? automaticType : 'web')
      } else setQuestion({ target, view: options.view, choices: decision.choices, preselected: decision.preselected })
    },
    [profile.id, typesFor, open],
  )

  const confirm = async (answer: ConnectAnswer): Promise<void> => {
    if (!question) return
    const { target, view } = question
    // The client has shown why; the dialog stays, with what was typed.
    if (answer.password && !(await keepPassword(target, answer))) return
    rememberAnswer(profile.id, target, answer)
    if (typesFor(answer.systemUser).length > 1) keepUsualType(answer.systemUser.protocol, answer.type)
    setQuestion(undefined)
    open(target, answer.systemUser, view, answer.type)
  }

  const dialog = question && (
    <ConnectDialog
      title={question.target.name}
      choices={question.choices}
      preselected={question.preselected}
      lastUsed={connectMemory(profile.id, question.target.id).lastUsed}
      usernameFor={(user) =>
        connectMemory(profile.id, question.target.id).manualUsername ??
        (user.username_same_with_user ? profile.username : user.username)
      }
      typesFor={typesFor}
      usualTypeFor={(user) => usualType(user.protocol, typesFor(user))}
      onConfirm={confirm}
      onClose={() => setQuestion(undefined)}
    />
  )
  return { connect, dialog }
}

/** Hands what was typed to the server, for this connection; false when it was not taken. */
async function keepPassword(target: Target, { systemUser, username, password }: ConnectAnswer): Promise<boolean> {
  return api
    .post(`/api/v1/assets/system-users/${systemUser.id}/temp-auth/`, {
      instance_id: target.id,
      username,
      password,
      protocol: systemUser.protocol,
    })
    .then(
      () => true,
      () => false,
    )
}

function rememberAnswer(userId: string, target: Target, { systemUser, username, remember, type }: ConnectAnswer): void {
  const { automatic: _, automaticType: __, ...memory } = connectMemory(userId, target.id)
  rememberConnect(userId, target.id, {
    ...memory,
    lastUsed: systemUser.id,
    ...(username ? { manualUsername: username } : {}),
    ...(remember ? { automatic: systemUser.id, automaticType: type } : {}),
  })
}
