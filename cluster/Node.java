import java.nio.file.Path;
import java.util.List;

import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.logging.LogConfigurator;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.index.reindex.ReindexPlugin;
import org.opensearch.knn.plugin.KNNPlugin;
import org.opensearch.painless.PainlessPlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.transport.Netty4Plugin;

/**
 * A folder with opensearch.yml in it -> one node of a cluster, in a process of its own.
 *
 * The server's own start checks that it is not root and that the machine is set up for production;
 * tests need neither, so the node is started directly, with the modules that Trivium uses.
 */
public final class Node extends org.opensearch.node.Node {
    private static final List<Class<? extends Plugin>> PLUGINS = List.of(
        Netty4Plugin.class,
        CommonAnalysisPlugin.class,
        PainlessPlugin.class,
        ReindexPlugin.class,
        KNNPlugin.class
    );

    private Node(Environment environment) {
        super(environment, PLUGINS, true);
    }

    @Override
    protected void configureNodeAndClusterIdStateListener(
        org.opensearch.cluster.service.ClusterService service
    ) {
        // It would write to the log by a pattern that only the server's own start sets up.
    }

    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[0]);
        Settings settings = Settings.builder()
            .loadFromPath(home.resolve("config").resolve("opensearch.yml"))
            .put("path.home", home.toString())
            .build();
        Environment environment = new Environment(settings, home.resolve("config"));
        LogConfigurator.registerErrorListener();
        Node node = new Node(environment);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                node.close();
            } catch (Exception error) {
                error.printStackTrace();
            }
        }));
        node.start();
        // Whoever started this holds the other end: it ends with them, however they end.
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
        System.exit(0);
    }
}
