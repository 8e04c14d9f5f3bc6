import { t } from '../../lib/i18n.ts'

/** Why nothing is asked of a target now; undefined where it can be. */
export const whyNotAsked = (isConnected: boolean, isBusy = false): string | undefined =>
  isConnected ? (isBusy ? t('Wait until the answer is there, or stop it') : undefined) : t('There is no connection now')

/** Why nothing can be stopped; undefined where something can be. */
export const whyNotStopped = (isRunning: boolean): string | undefined =>
  isRunning ? undefined : t('Nothing is running')
