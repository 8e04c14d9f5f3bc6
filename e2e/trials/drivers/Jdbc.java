import java.security.MessageDigest;
import java.sql.*;
import java.util.*;

/** What a JDBC driver gets from a database, as text: `java Jdbc.java ADDRESS USER PASSWORD`. */
public class Jdbc {
  public static void main(String[] given) throws Exception {
    boolean isPostgres = given[0].startsWith("jdbc:postgresql");
    Properties as = new Properties();
    as.setProperty("user", given[1]);
    as.setProperty("password", given[2]);
    try (Connection db = DriverManager.getConnection(given[0], as); Statement plain = db.createStatement()) {
      DatabaseMetaData about = db.getMetaData();
      say(about.getDatabaseProductName() + " " + about.getDatabaseProductVersion() + " by " + about.getDriverVersion());
      plain.execute("DROP TABLE IF EXISTS jdbc_trial");
      plain.execute("CREATE TABLE jdbc_trial (id int primary key, name varchar(100), price decimal(12,3), bytes " + (isPostgres ? "bytea" : "blob") + ")");
      try (PreparedStatement add = db.prepareStatement("INSERT INTO jdbc_trial VALUES (?, ?, ?, ?)")) {
        for (int n = 0; n < 5000; n++) {
          add.setInt(1, n);
          add.setString(2, n % 7 == 0 ? null : "名 " + n + " 'quoted' \\ \u0007");
          add.setBigDecimal(3, new java.math.BigDecimal(n + ".125"));
          add.setBytes(4, new byte[] {0, (byte) n, (byte) 255});
          add.addBatch();
        }
        say("batch of " + Arrays.stream(add.executeBatch()).map(count -> count == Statement.SUCCESS_NO_INFO ? 1 : count).sum());
      }
      for (int times = 0; times < 8; times++)
        try (PreparedStatement some = db.prepareStatement("SELECT * FROM jdbc_trial WHERE id >= ? ORDER BY id")) {
          some.setInt(1, times * 100);
          say("rows " + sumOf(some.executeQuery()));
        }
      db.setAutoCommit(false);
      try (Statement streamed = db.createStatement()) {
        streamed.setFetchSize(50);
        say("streamed " + sumOf(streamed.executeQuery("SELECT a.*, b.name FROM jdbc_trial a, jdbc_trial b WHERE b.id < 20 ORDER BY a.id, b.id")));
      }
      try (PreparedStatement big = db.prepareStatement("UPDATE jdbc_trial SET bytes = ? WHERE id = 1")) {
        big.setBytes(1, new byte[isPostgres ? 3_000_000 : 60_000]);
        say("changed " + big.executeUpdate());
      }
      db.rollback();
      db.setAutoCommit(true);
      for (String wrong : List.of("SELECT * FROM nowhere", "SELEC 1", "INSERT INTO jdbc_trial VALUES (1, 'twice', 1, NULL)", "SELECT 1/0 FROM nowhere WHERE"))
        try (ResultSet none = plain.executeQuery(wrong)) {
          say("no error of " + wrong);
        } catch (SQLException error) {
          say(error.getSQLState() + " " + error.getErrorCode() + " " + error.getMessage().replaceAll("\\(conn=\\d+\\) ?", ""));
        }
      try (Statement slow = db.createStatement()) {
        slow.setQueryTimeout(1);
        slow.execute(isPostgres ? "SELECT pg_sleep(30)" : "SELECT sleep(30) FROM jdbc_trial");
        say("not cancelled");
      } catch (SQLException error) {
        say("cancelled: " + error.getSQLState());
      }
      say("rows " + sumOf(about.getColumns(null, null, "jdbc_trial", "%")));
      plain.execute("DROP TABLE jdbc_trial");
    }
  }

  static String sumOf(ResultSet rows) throws Exception {
    MessageDigest sum = MessageDigest.getInstance("SHA-256");
    ResultSetMetaData columns = rows.getMetaData();
    int count = 0;
    for (; rows.next(); count++)
      for (int at = 1; at <= columns.getColumnCount(); at++) {
        byte[] value = rows.getBytes(at);
        sum.update((columns.getColumnLabel(at) + columns.getColumnTypeName(at) + (value == null)).getBytes("UTF-8"));
        if (value != null) sum.update(value);
      }
    return count + " " + HexFormat.of().formatHex(sum.digest());
  }

  static void say(String line) {
    System.out.println(line);
  }
}
