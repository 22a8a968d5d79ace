import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Properties;

/** Asks a long IN list through Connector/J, with useServerPrepStmts false and true: HOST PORT DATABASE TABLE MARKERS SPACES ROUNDS. The account is lab, without a password. */
public class InList {
    public static void main(String[] a) throws Exception {
        int markers = Integer.parseInt(a[4]), spaces = Integer.parseInt(a[5]), rounds = Integer.parseInt(a[6]);
        String sql = "SELECT * FROM `" + a[2] + "`.`" + a[3] + "` WHERE id IN (" + ("," + " ".repeat(spaces) + "?").repeat(markers).substring(1 + spaces) + ")";
        for (boolean server : new boolean[] {false, true}) {
            Properties p = new Properties();
            p.setProperty("user", "lab");
            p.setProperty("useSSL", "false");
            p.setProperty("allowPublicKeyRetrieval", "true");
            p.setProperty("useServerPrepStmts", String.valueOf(server));
            try (Connection c = DriverManager.getConnection("jdbc:mysql://" + a[0] + ":" + a[1] + "/" + a[2], p)) {
                if (!server) {
                    System.out.printf("driver %s, server %s%n", c.getMetaData().getDriverVersion().split(" ")[0], c.getMetaData().getDatabaseProductVersion());
                }
                long before = prepares(c), began = System.nanoTime();
                StringBuilder each = new StringBuilder();
                try (PreparedStatement s = c.prepareStatement(sql)) {
                    double prepare = (System.nanoTime() - began) / 1e6;
                    for (int round = 0; round < rounds; round++) {
                        for (int i = 1; i <= markers; i++) {
                            s.setLong(i, 100_000_000_000_000L + (long) round * markers + i);
                        }
                        began = System.nanoTime();
                        int rows = 0;
                        try (ResultSet r = s.executeQuery()) {
                            while (r.next()) {
                                rows++;
                            }
                        }
                        each.append(String.format(" %.1f/%d", (System.nanoTime() - began) / 1e6, rows));
                    }
                    System.out.printf("useServerPrepStmts=%b spaces=%d sql=%d prepare=%.1f each/rows=%s Com_stmt_prepare=%d->%d%n",
                            server, spaces, sql.length(), prepare, each.toString().trim().replace(' ', ','), before, prepares(c));
                }
            }
        }
    }

    static long prepares(Connection c) throws Exception {
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("SHOW SESSION STATUS LIKE 'Com_stmt_prepare'")) {
            r.next();
            return r.getLong(2);
        }
    }
}
