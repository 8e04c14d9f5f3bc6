import { DatabaseError } from '../../domains/accounts/index.ts'
import { inTime } from '../../kernel/in-time.ts'
import { OracleFailure, type OracleWire } from '../protocols/oracle/oracle-wire.ts'

const CHANGE_MS = 15_000
/**
 * Errors of a server that stops or has killed the session, and of the driver once the line is cut.
 */
const DOUBTFUL =
  /^(?:|NJS-.*|ORA-(?:00028|00031|00600|00603|01012|01013|01033|01034|01089|01090|01092|02396|03113|03114|03135|07445|125\d\d))$/

/**
 * Changes the password of the account that is signed in, which needs the old one. It travels
 * encrypted with the key that both sides have agreed on at the sign-in, also without TLS, as any
 * client of Oracle changes a password; no statement has it. Throws DatabaseError.
 */
export async function setOraclePassword(wire: OracleWire, password: string, old: string): Promise<void> {
  try {
    const late = () => new OracleFailure({ code: '', message: 'The server did not answer in time' })
    await inTime(wire.changePassword(old, password), CHANGE_MS, late)
  } catch (error) {
    const [code, message] = error instanceof OracleFailure ? [error.code, error.message] : ['', String(error)]
    throw new DatabaseError(DOUBTFUL.test(code) ? 'lost' : 'refused', message, error)
  }
}
